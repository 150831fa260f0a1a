import { pool } from "./pool.ts";

const EMPTY = new Uint8Array();

/** So much is set aside for bytes that have only been announced, and later so many times what has come. */
const MAX_ANNOUNCED_BYTES = 256 * 1024;
const MAX_ANNOUNCED_TIMES = 8;

/**
 * Joins chunks of bytes into one piece. An array of one-byte chunks would take hundreds of times the memory
 * of its content, which would defeat any limit on bytes; this takes at most twice.
 */
export class ChunkBuffer {
  private content: Uint8Array = EMPTY;
  private length = 0;
  private announced = 0;
  /** Whether nobody else has the content. */
  private isOwn = false;

  /** How many bytes have been added. */
  get size(): number {
    return this.length;
  }

  /** Adds a chunk. The first one is kept as it is, without a copy, since most are the only one. */
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
   * Adds a copy of a chunk, in a buffer of the pool, which whoever takes the bytes may release.
   *
   * @param announced how long all chunks together are said to be
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

  /** What has been added so far. It must not be written to. */
  bytes(): Buffer {
    this.isOwn = false;
    return Buffer.from(this.content.buffer, this.content.byteOffset, this.length);
  }

  /** Returns what has been added, and starts over. */
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
