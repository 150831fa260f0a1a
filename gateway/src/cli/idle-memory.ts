import inspector from "node:inspector/promises";

/** How often is looked, in milliseconds. */
const EVERY_MS = 1000;

/** For how many looks in a row there must be no call. */
const QUIET_LOOKS = 5;

/**
 * By how much the process must have grown: a part of what it had, and bytes that are not worth a collection.
 */
const GROWTH = 0.15;
const GROWTH_BYTES = 8 * 1024 * 1024;

/** What is looked at, and what is done. */
export interface IdleMemoryOptions {
  /** Calls that run or wait. */
  readonly calls: () => number;
  /**
   * Bytes that are resident; throws where that cannot be known, e.g. without a file descriptor. Default:
   * those of this process.
   */
  readonly resident?: (() => number) | undefined;
  /** Collects garbage, however long that takes. Default: that of this process. */
  readonly collect?: (() => Promise<void>) | undefined;
  /** Notified of each collection, with the bytes before it and after it. */
  readonly onCollected?: ((before: number, after: number) => void) | undefined;
  /** Notified when garbage cannot be collected; it is not tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Gives memory back after a burst: V8 collects when it needs room, which a process that has nothing to do
 * never does, and buffers stay until then. Once there has been no call for some seconds, and the process is
 * larger than it was after the last collection, there is one, which takes a fraction of a second. For a
 * process of our own: what else runs in another one would have to wait for it.
 */
export class IdleMemory {
  private readonly options: IdleMemoryOptions;
  private readonly resident: () => number;
  private readonly collect: () => Promise<void>;
  /** What the process needs at least, as far as is known. */
  private settled: number;
  private quiet = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: IdleMemoryOptions) {
    const { resident = () => process.memoryUsage.rss(), collect = collectGarbage } = options;
    this.options = options;
    this.resident = resident;
    this.collect = collect;
    this.settled = this.measured() ?? Number.POSITIVE_INFINITY;
  }

  /** Looks every second from now on. It does not keep the process running. */
  start(): void {
    this.timer = setInterval(() => void this.look(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Looks once. Never rejects. */
  async look(): Promise<void> {
    const before = this.measured();
    if (before === undefined) return;
    this.settled = Math.min(this.settled, before);
    this.quiet = this.options.calls() === 0 ? this.quiet + 1 : 0;
    if (this.quiet < QUIET_LOOKS || before < this.settled * (1 + GROWTH) + GROWTH_BYTES) return;
    this.quiet = 0;
    try {
      await this.collect();
      // what is still there is needed: once after a burst is enough
      this.settled = this.measured() ?? before;
      this.options.onCollected?.(before, this.settled);
    } catch (error) {
      this.stop();
      this.options.onError(error);
    }
  }

  /** Undefined where it cannot be known, which the next look may. */
  private measured(): number | undefined {
    try {
      return this.resident();
    } catch {
      return undefined;
    }
  }
}

/**
 * Once for what is garbage, and once for what that has held until its finalizers have run, such as buffers.
 */
const COLLECTIONS = 2;

/** All there is to collect, as when memory is short. */
export async function collectGarbage(): Promise<void> {
  const session = new inspector.Session();
  session.connect();
  try {
    for (let count = 0; count < COLLECTIONS; count++) {
      await session.post("HeapProfiler.collectGarbage");
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    session.disconnect();
  }
}
