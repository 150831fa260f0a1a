import { ArraySplitter } from "connect-rest-runtime/recordings";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The names that lead to the entries (HAR 1.2), by depth. */
const NAMES: readonly string[] = ["log", "entries"];
const MAX_NAME = 16;

/**
 * Splits a HAR file into its entries as its bytes arrive. Keeps one entry in memory. Members before and after
 * `log.entries` are not parsed.
 */
export class HarSplitter {
  private readonly entries: ArraySplitter;
  private isWithin = false;
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** The last string at each depth that may be the name of a member. */
  private readonly last: string[] = [];

  /** @param maxBytes the maximum size of an entry */
  constructor(maxBytes: number) {
    this.entries = new ArraySplitter(maxBytes, true);
  }

  /** Whether the list of entries was found. */
  get isFound(): boolean {
    return this.isWithin;
  }

  /** Whether the list of entries has ended. */
  get ended(): boolean {
    return this.entries.ended;
  }

  /**
   * Yields the texts of the entries that a chunk completes.
   *
   * @throws ArrayFault, RecordTooLarge
   */
  *texts(chunk: Uint8Array): Generator<string, undefined> {
    const start = this.isWithin ? 0 : this.findEntries(chunk);
    if (start < 0 || this.entries.ended) return undefined;
    for (const { text } of this.entries.items(chunk.subarray(start))) yield text;
    return undefined;
  }

  /** Returns the position of the bracket that opens the entries, or -1 if it is not in the chunk. */
  private findEntries(chunk: Uint8Array): number {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.inString) {
        this.stringByte(byte);
      } else if (byte === OPEN_ARRAY && this.isAtEntries) {
        this.isWithin = true;
        return at;
      } else {
        this.outerByte(byte);
      }
    }
    return -1;
  }

  private get isAtEntries(): boolean {
    return this.depth === NAMES.length && NAMES.every((name, index) => this.last[index] === name);
  }

  private stringByte(byte: number): void {
    if (this.escaped) {
      this.escaped = false;
    } else if (byte === BACKSLASH) {
      this.escaped = true;
    } else if (byte === QUOTE) {
      this.inString = false;
    } else if (this.depth <= NAMES.length && (this.last[this.depth - 1]?.length ?? 0) < MAX_NAME) {
      this.last[this.depth - 1] += String.fromCharCode(byte);
    }
  }

  private outerByte(byte: number): void {
    if (byte === QUOTE) {
      this.inString = true;
      if (this.depth > 0 && this.depth <= NAMES.length) this.last[this.depth - 1] = "";
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.depth++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.depth--;
    }
  }
}
