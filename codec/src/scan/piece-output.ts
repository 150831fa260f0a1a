import { pool } from "../buffers/pool.ts";
import type { Opened } from "./insertion.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The factor by which the reserved memory exceeds the estimate. */
const RESERVE = 1.1;

/**
 * Joins bytes that arrive in pieces into a buffer that the caller may release. Space is reserved in front of
 * the pieces for the leading bytes, which arrive last. This avoids another copy.
 */
export class PieceOutput {
  private bytes: Bytes = new Uint8Array(0);
  private readonly start: number;
  private end: number;

  /** @param room the number of bytes reserved before the pieces */
  constructor(room: number) {
    this.start = room;
    this.end = room;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** @param share the fraction of the total that has arrived, including this piece: above 0 and at most 1 */
  push(piece: Uint8Array, share: number): void {
    const end = this.end + piece.length;
    if (end > this.bytes.length) {
      this.move(this.start, this.start + Math.ceil(((end - this.start) / share) * RESERVE));
    }
    this.bytes.set(piece, this.end);
    this.end = end;
  }

  /** Returns all pieces, preceded by `before` and followed by `behind`. */
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

  /** Moves the pieces to a larger buffer. The additional memory is not touched until it is needed. */
  private move(to: number, size: number): void {
    const bytes = pool.acquire(size);
    bytes.set(this.bytes.subarray(this.start, this.end), to);
    pool.release(this.bytes);
    this.bytes = bytes;
  }
}
