/**
 * Below this, Node's own pool of small buffers serves as well; above, a buffer is worth more to the system.
 * In bytes.
 */
const MIN_BYTES = 2 * 1024;
const MAX_BYTES = 512 * 1024;

/** How much is kept for later. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** What a released buffer is filled with, for tests. */
const POISON = 0xa5;

/** Memory of a pool, which knows whether somebody has it. */
class PooledMemory extends ArrayBuffer {
  owner: BufferPool | undefined;
}

/**
 * Buffers that are used again. What a call reads and sends is of no use a moment later, but V8 counts each
 * new ArrayBuffer until it has collected it, and collects everything, with all that lives, whenever 64 MB of
 * them have come: at 25 KB for each of a call's steps that is every thousand calls,
 * and a third of all processor time.
 *
 * Large buffers are not kept: released, they go back to the system at once, where V8 would leave several
 * times as much to be collected. Who uses such a one all the same finds it empty.
 *
 * To release a buffer is optional. Whoever does says that nobody has it any more, nor any part of it; whoever
 * does not leaves it to the collector.
 */
export class BufferPool {
  /** By the logarithm of their size. */
  private readonly free: PooledMemory[][] = [];
  private readonly large = new WeakSet<ArrayBuffer>();
  private kept = 0;
  private readonly isPoisoned: boolean;

  /** @param isPoisoned whether released buffers are overwritten, so that who uses one is found out */
  constructor(isPoisoned = false) {
    this.isPoisoned = isPoisoned;
  }

  /** Bytes that are kept for later, 16 MiB at most. */
  get keptBytes(): number {
    return this.kept;
  }

  /** So many bytes, with anything in them. */
  acquire(length: number): Uint8Array<ArrayBuffer> {
    if (length < MIN_BYTES) {
      const { buffer, byteOffset } = Buffer.allocUnsafe(length);
      // a plain Uint8Array, as larger ones are: bytes fields that are read from a Buffer would be Buffers
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
   * Takes a buffer back, by any view of it. One of another origin, or that was taken back before,
   * is left alone.
   */
  release({ buffer }: Uint8Array): void {
    if (buffer instanceof ArrayBuffer && this.large.delete(buffer)) {
      // nothing has its memory any more
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

/** The logarithm of the next power of two. */
function sizeClass(length: number): number {
  return 32 - Math.clz32(length - 1);
}
