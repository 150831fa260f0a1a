import { ChunkBuffer } from "connect-rest-codec/internal";
import { RecordTooLarge } from "./lines.ts";
import { type RecordUtf8, utf8Of } from "./record-utf8.ts";

/** A syntax error in an array. `message` describes the error without repeating the input. */
export class ArrayFault extends Error {}

type Place =
  /** Before the array. */
  | "start"
  /** After `[`, before an item or `]`. */
  | "opened"
  /** After a comma, before an item. */
  | "next"
  /** Within an item. The item ends with a bracket, with a quote, or before a delimiter. */
  | "container"
  | "string"
  | "scalar"
  /** After an item. */
  | "behind"
  /** After the array. */
  | "end"
  /** In a body that is not an array. */
  | "other";

const BOM = [0xef, 0xbb, 0xbf] as const;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Matches the first byte of an item that is a number, `true`, `false` or `null`, and not a string or a
 * container.
 */
const SCALAR_START = /[-\dtfn]/;

/**
 * Splits a body that is one JSON array (RFC 8259 section 5) into its items as its bytes arrive. Examines each
 * byte once, for chunks of any size. The splitter finds the ends of items and does not validate the items. An
 * invalid item fails to parse later, so all items can be parsed exactly when the whole array is valid.
 */
export class ArraySplitter {
  private readonly maxBytes: number;
  private readonly isPart: boolean;
  private readonly item = new ChunkBuffer();
  private place: Place = "start";
  /** The number of bytes that were read from the byte order mark. */
  private mark = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private count = 0;

  /**
   * @param maxBytes the maximum size of an item; up to one additional chunk may be buffered
   * @param isPart whether the array is a part of a JSON value, which may continue after it
   */
  constructor(maxBytes: number, isPart = false) {
    this.maxBytes = maxBytes;
    this.isPart = isPart;
  }

  /** Whether the array has ended. */
  get ended(): boolean {
    return this.place === "end";
  }

  /**
   * The beginning of a body that is not an array, from its first non-whitespace byte. Undefined for an array.
   */
  get other(): Uint8Array | undefined {
    return this.place === "other" ? this.item.bytes() : undefined;
  }

  /**
   * Yields each item that a chunk completes, unparsed.
   *
   * @throws ArrayFault, or RecordTooLarge for an item that is too large
   */
  *items(chunk: Uint8Array): Generator<RecordUtf8, undefined> {
    for (let at = 0; at < chunk.length; ) {
      if (!this.isWithin) {
        at = this.between(chunk, at);
        continue;
      }
      const end = this.endFrom(chunk, at);
      this.keep(chunk.subarray(at, end < 0 ? chunk.length : end));
      if (end < 0) return undefined;
      at = end;
      this.place = "behind";
      this.count++;
      yield utf8Of(this.item.take());
    }
    return undefined;
  }

  private get isWithin(): boolean {
    const { place } = this;
    return place === "container" || place === "string" || place === "scalar" || place === "other";
  }

  /** Advances to the first byte of an item from `start` on, and returns its position. */
  private between(chunk: Uint8Array, start: number): number {
    let at = start;
    for (; at < chunk.length && !this.isWithin; at++) {
      const byte = chunk[at] as number;
      if (this.place === "start" && byte === BOM[this.mark]) {
        this.mark++;
      } else if (isWhitespace(byte)) {
        // a byte order mark is only valid at the start
        if (this.mark === 0) this.mark = BOM.length;
      } else {
        this.step(byte);
        // this is the first byte of the item
        if (this.isWithin) return at;
      }
    }
    return at;
  }

  private step(byte: number): void {
    switch (this.place) {
      case "start":
        this.place = byte === OPEN && (this.mark === 0 || this.mark === BOM.length) ? "opened" : "other";
        return;
      case "opened":
        if (byte === CLOSE) {
          this.place = "end";
          return;
        }
        this.begin(byte);
        return;
      case "next":
        this.begin(byte);
        return;
      case "behind":
        if (byte !== COMMA && byte !== CLOSE) throw this.fault("without a comma in front of it");
        this.place = byte === COMMA ? "next" : "end";
        return;
      default:
        if (this.isPart) return;
        throw new ArrayFault(`something behind an array of ${this.count} items`);
    }
  }

  private begin(byte: number): void {
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    if (byte === OPEN || byte === OPEN_OBJECT) {
      this.place = "container";
    } else if (byte === QUOTE) {
      this.place = "string";
    } else {
      if (!SCALAR_START.test(String.fromCharCode(byte))) throw this.fault("that does not begin like a value");
      this.place = "scalar";
    }
  }

  private fault(problem: string): ArrayFault {
    return new ArrayFault(`an array with an item ${problem} (behind ${this.count} items)`);
  }

  /** Returns the end of the item, or -1 if the chunk ends before it. */
  private endFrom(chunk: Uint8Array, start: number): number {
    switch (this.place) {
      case "scalar":
        return endOfScalar(chunk, start);
      case "other":
        return -1;
      default:
        return this.endOfText(chunk, start);
    }
  }

  private endOfText(chunk: Uint8Array, start: number): number {
    let { depth, inString, escaped } = this;
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at];
      if (escaped) {
        escaped = false;
        continue;
      }
      if (byte === QUOTE) {
        inString = !inString;
      } else if (inString) {
        escaped = byte === BACKSLASH;
        continue;
      } else if (byte === OPEN || byte === OPEN_OBJECT) {
        depth++;
        continue;
      } else if (byte === CLOSE || byte === CLOSE_OBJECT) {
        depth--;
      } else {
        continue;
      }
      if (depth <= 0 && !inString) return at + 1;
    }
    this.depth = depth;
    this.inString = inString;
    this.escaped = escaped;
    return -1;
  }

  private keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.item.size + bytes.length > this.maxBytes) throw new RecordTooLarge();
    this.item.push(bytes);
  }
}

function endOfScalar(chunk: Uint8Array, start: number): number {
  for (let at = start; at < chunk.length; at++) {
    const byte = chunk[at] as number;
    if (byte === COMMA || byte === CLOSE || isWhitespace(byte)) return at;
  }
  return -1;
}

function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
