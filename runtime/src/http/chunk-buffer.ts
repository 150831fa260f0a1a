const EMPTY = new Uint8Array();

/**
 * Joins chunks of bytes into one piece. An array of one-byte chunks would take hundreds of times the memory of its
 * content, which would defeat any limit on bytes; this takes at most twice.
 */
export class ChunkBuffer {
  private content: Uint8Array = EMPTY;
  private length = 0;

  /** How many bytes have been added. */
  get size(): number {
    return this.length;
  }

  /** Adds a chunk. The first one is kept as it is, without a copy, since most are the only one. */
  push(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (this.length === 0) {
      this.content = chunk;
    } else {
      if (length > this.content.length) this.grow(length);
      this.content.set(chunk, this.length);
    }
    this.length = length;
  }

  /** What has been added so far. It must not be written to. */
  bytes(): Buffer {
    return Buffer.from(this.content.buffer, this.content.byteOffset, this.length);
  }

  /** Returns what has been added, and starts over. */
  take(): Buffer {
    const bytes = this.bytes();
    this.length = 0;
    return bytes;
  }

  private grow(length: number): void {
    const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.content.length, 1024));
    grown.set(this.content.subarray(0, this.length));
    this.content = grown;
  }
}
