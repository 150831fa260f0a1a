/**
 * Bytes that come in chunks, in one piece. A list of chunks of one byte each would take hundreds of times the memory of
 * what is in them, so that no limit of bytes would be one; this takes at most twice.
 */
export class Gathered {
  #bytes: Uint8Array = new Uint8Array();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A first chunk is kept as it is, since most are the only one. */
  push(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (this.#size === 0) this.#bytes = chunk;
    else {
      if (size > this.#bytes.length) this.#grow(size);
      this.#bytes.set(chunk, this.#size);
    }
    this.#size = size;
  }

  /** What has come so far. It is not to be written to. */
  bytes(): Buffer {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#size);
  }

  #grow(size: number): void {
    const grown = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length, 1024));
    grown.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = grown;
  }
}
