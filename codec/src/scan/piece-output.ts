import { pool } from "../buffers/pool.ts";
import type { Opened } from "./insertion.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** By how much more room is made than seems to be needed. */
const RESERVE = 1.1;

/**
 * Bytes that come in pieces, in a buffer that may be released. There is room in front of them for what comes
 * last, so that they are not copied once more.
 */
export class PieceOutput {
  private bytes: Bytes = new Uint8Array(0);
  private readonly start: number;
  private end: number;

  /** @param room bytes in front */
  constructor(room: number) {
    this.start = room;
    this.end = room;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** @param share how much there is with this piece of all that will come, above 0, at most 1 */
  push(piece: Uint8Array, share: number): void {
    const end = this.end + piece.length;
    if (end > this.bytes.length) {
      this.move(this.start, this.start + Math.ceil(((end - this.start) / share) * RESERVE));
    }
    this.bytes.set(piece, this.end);
    this.end = end;
  }

  /** All pieces, and what belongs around them. */
  within({ before, behind }: Opened): Bytes {
    const from = this.start - before.length;
    const end = this.end + behind.length;
    if (from < 0 || end > this.bytes.length) {
      this.move(before.length, end - from);
      return this.around(0, before, behind);
    }
    return this.around(from, before, behind);
  }

  private around(from: number, before: Uint8Array, behind: Uint8Array): Bytes {
    const at = from + before.length;
    this.bytes.set(before, from);
    this.bytes.set(behind, at + this.length);
    return this.bytes.subarray(from, at + this.length + behind.length);
  }

  /** To larger memory, which is not written to before it is used. */
  private move(to: number, size: number): void {
    const bytes = pool.acquire(size);
    bytes.set(this.bytes.subarray(this.start, this.end), to);
    pool.release(this.bytes);
    this.bytes = bytes;
  }
}
