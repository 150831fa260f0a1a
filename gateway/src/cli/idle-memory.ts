import inspector from "node:inspector/promises";

/** The interval between checks, in milliseconds. */
const EVERY_MS = 1000;

/** The number of consecutive checks without a call before a collection. */
const QUIET_LOOKS = 5;

/**
 * The minimum growth before a collection: this fraction of the previous size plus this number of bytes. After
 * less growth, a collection is not worthwhile.
 */
const GROWTH = 0.15;
const GROWTH_BYTES = 8 * 1024 * 1024;

/** The inputs and actions of the memory check. */
export interface IdleMemoryOptions {
  /** Returns the number of running and waiting calls. */
  readonly calls: () => number;
  /**
   * Returns the resident set size in bytes; throws if the size is unknown, e.g. for lack of a file
   * descriptor. Default: measures this process.
   */
  readonly resident?: (() => number) | undefined;
  /** Collects garbage, however long that takes. Default: collects in this process. */
  readonly collect?: (() => Promise<void>) | undefined;
  /** Receives the resident bytes before and after each collection. */
  readonly onCollected?: ((before: number, after: number) => void) | undefined;
  /** Receives the error if garbage cannot be collected; no further collection is attempted. */
  readonly onError: (error: unknown) => void;
}

/**
 * Releases memory after a burst. V8 collects garbage only when it needs memory, which an idle process never
 * does, and until then the garbage retains buffers. If the process has grown since the last collection, this
 * class collects garbage after some seconds without calls. A collection blocks the process for a fraction of
 * a second, so use this class only in processes that do nothing but serve.
 */
export class IdleMemory {
  private readonly options: IdleMemoryOptions;
  private readonly resident: () => number;
  private readonly collect: () => Promise<void>;
  /** The bytes that the process is known to need. */
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

  /** Starts checking every second. The timer does not keep the process running. */
  start(): void {
    this.timer = setInterval(() => void this.look(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Checks once, and collects garbage if it is worthwhile. Never rejects. */
  async look(): Promise<void> {
    const before = this.measured();
    if (before === undefined) return;
    this.settled = Math.min(this.settled, before);
    this.quiet = this.options.calls() === 0 ? this.quiet + 1 : 0;
    if (this.quiet < QUIET_LOOKS || before < this.settled * (1 + GROWTH) + GROWTH_BYTES) return;
    this.quiet = 0;
    try {
      await this.collect();
      // the remaining memory is in use, so another collection would free nothing until the next burst
      this.settled = this.measured() ?? before;
      this.options.onCollected?.(before, this.settled);
    } catch (error) {
      this.stop();
      this.options.onError(error);
    }
  }

  /** Returns the resident set size, or undefined if it is unknown; a later check may succeed. */
  private measured(): number | undefined {
    try {
      return this.resident();
    } catch {
      return undefined;
    }
  }
}

/**
 * The first collection finds garbage; the second collection releases memory that finalizers held, such as
 * buffers.
 */
const COLLECTIONS = 2;

/** Collects all garbage, as under memory pressure. */
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
