import { pool } from "./pool.ts";

const EMPTY = new Uint8Array();

/** The maximum number of bytes reserved for an announced length. A longer buffer grows as bytes arrive. */
const MAX_ANNOUNCED_BYTES = 256 * 1024;
const MAX_ANNOUNCED_TIMES = 8;

/**
 * Joins chunks of bytes into one buffer that takes at most twice the memory of its content. An array of
 * one-byte chunks would take hundreds of times the memory of its content, and limits on bytes would not hold.
 */
export class ChunkBuffer {
  private content: Uint8Array = EMPTY;
  private length = 0;
  private announced = 0;
  /** Whether only this object refers to the content. */
  private isOwn = false;

  /** The number of bytes added. */
  get size(): number {
    return this.length;
  }

  /** Adds a chunk. The first chunk is not copied, since most bodies have only one. */
  push(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (this.length === 0) {
      this.content = chunk;
      this.isOwn = false;
    } else {
      if (length > this.content.length) this.grow(length);
      this.content.set(chunk, this.length);
    }
    this.length = length;
  }

  /**
   * Adds a copy of a chunk to a pooled buffer, which the caller of `take` may release.
   *
   * @param announced the announced total length of all chunks
   */
  copy(chunk: Uint8Array, announced: number): void {
    if (this.length > 0) {
      this.push(chunk);
      return;
    }
    this.announced = announced;
    const expected = Math.min(announced, MAX_ANNOUNCED_BYTES);
    this.content = pool.acquire(Math.max(chunk.length, expected));
    this.content.set(chunk);
    this.length = chunk.length;
    this.isOwn = true;
  }

  /** Returns the bytes added so far. The caller must not write to them. */
  bytes(): Buffer {
    this.isOwn = false;
    return Buffer.from(this.content.buffer, this.content.byteOffset, this.length);
  }

  /** Returns the bytes added so far, and becomes empty. */
  take(): Buffer {
    const bytes = this.bytes();
    this.length = 0;
    return bytes;
  }

  private grow(length: number): void {
    const isNear = length <= this.announced && this.announced <= MAX_ANNOUNCED_TIMES * length;
    const grown = pool.acquire(isNear ? this.announced : Math.max(length, 2 * this.content.length, 1024));
    grown.set(this.content.subarray(0, this.length));
    if (this.isOwn) pool.release(this.content);
    this.content = grown;
    this.isOwn = true;
  }
}
