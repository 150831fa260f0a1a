/**
 * Bytes that come in chunks, in one piece. A list of chunks of one byte each would take hundreds of times the memory of
 * what is in them, so that no limit of bytes would be one; this takes at most twice.
 */
export class ChunkBuffer {
  private buffer: Uint8Array = new Uint8Array();
  private length = 0;

  get size(): number {
    return this.length;
  }

  /** A first chunk is kept as it is, since most are the only one. */
  push(chunk: Uint8Array): void {
    const size = this.length + chunk.length;
    if (this.length === 0) {
      this.buffer = chunk;
    } else {
      if (size > this.buffer.length) this.grow(size);
      this.buffer.set(chunk, this.length);
    }
    this.length = size;
  }

  /** What has come so far. It is not to be written to. */
  bytes(): Buffer {
    return Buffer.from(this.buffer.buffer, this.buffer.byteOffset, this.length);
  }

  private grow(size: number): void {
    const grown = Buffer.allocUnsafe(Math.max(size, 2 * this.buffer.length, 1024));
    grown.set(this.buffer.subarray(0, this.length));
    this.buffer = grown;
  }
}
