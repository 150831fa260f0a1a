/** The smallest pooled size, in bytes: Node's own pool already serves smaller buffers well. */
const MIN_BYTES = 2 * 1024;
const MAX_BYTES = 512 * 1024;

/** The maximum number of bytes kept for reuse. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** The byte that overwrites released buffers in tests. */
const POISON = 0xa5;

/** An ArrayBuffer that the pool allocated; `owner` is set while the buffer is in use. */
class PooledMemory extends ArrayBuffer {
  owner: BufferPool | undefined;
}

/**
 * A pool of reusable buffers. The buffers of a call become garbage within moments, but V8 counts each new
 * ArrayBuffer until it is collected, and runs a full collection for every 64 MB of them. At 25 KB for each
 * step of a call, that is one collection per thousand calls, and a third of all processor time.
 *
 * Large buffers are not kept: releasing a large buffer returns its memory to the system immediately, whereas
 * V8 would let several times as much memory accumulate. Code that still uses such a buffer finds it empty.
 *
 * Releasing is optional. A caller that releases a buffer promises that nothing uses the buffer or a view of
 * it any more. The garbage collector frees buffers that are not released.
 */
export class BufferPool {
  /** Free buffers, indexed by the logarithm of their size. */
  private readonly free: PooledMemory[][] = [];
  private readonly large = new WeakSet<ArrayBuffer>();
  private kept = 0;
  private readonly isPoisoned: boolean;

  /** @param isPoisoned whether released buffers are overwritten, so that tests detect their use */
  constructor(isPoisoned = false) {
    this.isPoisoned = isPoisoned;
  }

  /** The number of bytes kept for reuse, at most 16 MiB. */
  get keptBytes(): number {
    return this.kept;
  }

  /** Returns a buffer of `length` bytes with arbitrary content. */
  acquire(length: number): Uint8Array<ArrayBuffer> {
    if (length < MIN_BYTES) {
      const { buffer, byteOffset } = Buffer.allocUnsafe(length);
      // a plain Uint8Array, as for larger buffers: a bytes field read from a Buffer would be a Buffer
      return new Uint8Array(buffer, byteOffset, length);
    }
    if (length > MAX_BYTES) return this.acquireLarge(length);
    const size = sizeClass(length);
    const memory = this.free[size]?.pop() ?? new PooledMemory(2 ** size);
    if (memory.owner === this) this.kept -= memory.byteLength;
    memory.owner = undefined;
    return new Uint8Array(memory, 0, length);
  }

  private acquireLarge(length: number): Uint8Array<ArrayBuffer> {
    const { buffer } = Buffer.allocUnsafeSlow(length);
    this.large.add(buffer);
    return new Uint8Array(buffer);
  }

  /**
   * Takes back a buffer, given any view of it. Ignores foreign buffers and buffers that are already released.
   */
  release({ buffer }: Uint8Array): void {
    if (buffer instanceof ArrayBuffer && this.large.delete(buffer)) {
      // frees the memory: nothing uses it any more
      buffer.transfer(0);
      return;
    }
    if (!(buffer instanceof PooledMemory) || buffer.owner !== undefined) return;
    if (this.isPoisoned) new Uint8Array(buffer).fill(POISON);
    if (this.kept + buffer.byteLength > MAX_KEPT_BYTES) return;
    buffer.owner = this;
    this.kept += buffer.byteLength;
    const size = sizeClass(buffer.byteLength);
    this.free[size] ??= [];
    this.free[size].push(buffer);
  }
}

/** Returns the exponent of the next power of two. */
function sizeClass(length: number): number {
  return 32 - Math.clz32(length - 1);
}
