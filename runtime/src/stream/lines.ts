import { ChunkBuffer } from "connect-rest-codec/internal";
import type { Pacer } from "../time/pacer.ts";
import { batchesOf } from "./batches.ts";
import { type RecordUtf8, utf8Of } from "./record-utf8.ts";

/**
 * What ends a line: a line feed; or also a carriage return, alone or before a line feed; or the record
 * separator of JSON text sequences (RFC 7464), which stands in front of each.
 */
export type LineEnds = "lf" | "any" | "rs";

/** A line, without what ends it. */
export interface Line {
  readonly text: string;
  /** Whether something ended it: false for what the body broke off at. */
  readonly ended: boolean;
  /** Whether there were bytes that are not UTF-8; each was read as U+FFFD. */
  readonly malformed: boolean;
}

/** A line, or a record of several lines, that is larger than allowed. */
export class RecordTooLarge extends Error {}

const LF = 10;
const CR = 13;
const RS = 30;

/**
 * The lines of a body in UTF-8, as it comes, in batches. Bytes are split into lines before they are decoded,
 * so that a character that spans two chunks stays whole; invalid UTF-8 becomes U+FFFD.
 *
 * @param maxBytes the longest line; one chunk more than that may be held
 * @throws RecordTooLarge, or what the body throws
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
  /** The last byte was a carriage return: a line feed that follows belongs to it. */
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

  /** What was kept, as text. */
  rest(): RecordUtf8 {
    return utf8Of(this.line.take());
  }

  private endFrom(chunk: Uint8Array, start: number): number {
    if (this.ends !== "any") return chunk.indexOf(this.ends === "lf" ? LF : RS, start);
    // one pass: to look for each of the two up to the end of the chunk would be quadratic
    for (let at = start; at < chunk.length; at++) if (chunk[at] === LF || chunk[at] === CR) return at;
    return -1;
  }

  private keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.line.size + bytes.length > this.maxBytes) throw new RecordTooLarge();
    this.line.push(bytes);
  }
}
