import { ChunkBuffer } from "connect-rest-codec/internal";
import type { Pacer } from "../time/pacer.ts";
import { batchesOf } from "./batches.ts";
import { type RecordUtf8, utf8Of } from "./record-utf8.ts";

/**
 * The separators between lines. `lf`: line feeds. `any`: carriage returns as well, alone or before a line
 * feed. `rs`: the record separators of JSON text sequences (RFC 7464), which precede each record.
 */
export type LineEnds = "lf" | "any" | "rs";

/** A line without its separator. */
export interface Line {
  readonly text: string;
  /** Whether the line is complete. False if the body ended within the line. */
  readonly ended: boolean;
  /** Whether the line had invalid UTF-8. Each invalid byte was replaced by U+FFFD. */
  readonly malformed: boolean;
}

/** Thrown for a line, or a record of several lines, that exceeds the maximum size. */
export class RecordTooLarge extends Error {}

const LF = 10;
const CR = 13;
const RS = 30;

/**
 * Yields the lines of a UTF-8 body as it arrives, in batches. Splits bytes into lines before decoding them,
 * so that a character that spans two chunks stays whole. Invalid UTF-8 becomes U+FFFD.
 *
 * @param maxBytes the maximum length of a line; up to one additional chunk may be buffered
 * @throws RecordTooLarge, or any error of the body
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  ends: LineEnds,
  maxBytes: number,
  pacer: Pacer,
): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter(ends, maxBytes);
  yield* batchesOf(chunks, (chunk) => splitter.lines(chunk), pacer);
  const rest = splitter.rest();
  if (rest.text !== "") yield [{ ...rest, ended: false }];
}

class LineSplitter {
  private readonly ends: LineEnds;
  private readonly maxBytes: number;
  private readonly line = new ChunkBuffer();
  /**
   * Whether the last byte was a carriage return. If a line feed follows, it belongs to the carriage return.
   */
  private afterReturn = false;

  constructor(ends: LineEnds, maxBytes: number) {
    this.ends = ends;
    this.maxBytes = maxBytes;
  }

  *lines(chunk: Uint8Array): Generator<Line> {
    let start = this.afterReturn && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.afterReturn = false;
    for (let at = this.endFrom(chunk, start); at >= 0; at = this.endFrom(chunk, start)) {
      this.keep(chunk.subarray(start, at));
      yield { ...this.rest(), ended: true };
      const isReturn = chunk[at] === CR;
      this.afterReturn = isReturn && at + 1 === chunk.length;
      start = at + (isReturn && chunk[at + 1] === LF ? 2 : 1);
    }
    this.keep(chunk.subarray(start));
  }

  /** Returns the buffered bytes as text. */
  rest(): RecordUtf8 {
    return utf8Of(this.line.take());
  }

  private endFrom(chunk: Uint8Array, start: number): number {
    if (this.ends !== "any") return chunk.indexOf(this.ends === "lf" ? LF : RS, start);
    // a single pass, since searching the rest of the chunk for each of the two bytes would be quadratic
    for (let at = start; at < chunk.length; at++) if (chunk[at] === LF || chunk[at] === CR) return at;
    return -1;
  }

  private keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.line.size + bytes.length > this.maxBytes) throw new RecordTooLarge();
    this.line.push(bytes);
  }
}
