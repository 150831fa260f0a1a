import { type Clock, systemClock } from "./clock.ts";

/** The share of time reserved for other work while more large work is queued. */
const PAUSE = 0.5;

/** The longest pause between two pieces of large work, in milliseconds. */
const MAX_PAUSE_MS = 200;

/**
 * The maximum total number of bytes that concurrent work may read, unless a single piece reads more. A
 * decoded response takes many times its size until it has been printed.
 */
const MAX_BYTES = 16 * 1024 * 1024;

/** A queued piece of work. */
interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Schedules work that blocks the event loop for long or spans many turns, such as decoding megabytes. Callers
 * take turns, and between two pieces everything else runs. Otherwise the responses of one caller that arrive
 * together would delay all other callers until the last response is decoded, and all decoded responses would
 * be in memory at the same time.
 */
export class LargeWork {
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  /** The queues by caller. The first caller is next. */
  private readonly queues = new Map<string, Set<Waiting>>();
  private isStarting = false;
  private inProgress = 0;

  constructor(clock: Pick<Clock, "monotonic" | "after">) {
    this.clock = clock;
  }

  /**
   * Resolves when the caller may begin to read this many bytes. Rejects with the reason of the signal if the
   * signal is aborted first.
   */
  turn(caller: string, bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const start = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const waiting = { bytes, start };
      const onAbort = () => {
        this.remove(caller, waiting);
        reject(signal.reason);
        // other pieces may have been queued after this one
        this.next();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const queue = this.queues.get(caller) ?? new Set();
      this.queues.set(caller, queue.add(waiting));
      this.next();
    });
  }

  /**
   * Records that work on this many bytes is in progress, until the returned function is called. The next work
   * on the same bytes must begin in the event-loop turn in which this work ends; otherwise, other work could
   * begin in between.
   */
  begin(bytes: number): () => void {
    this.inProgress += bytes;
    return () => {
      this.inProgress -= bytes;
      setImmediate(() => this.next());
    };
  }

  private next(): void {
    const [caller, queue] = this.queues.entries().next().value ?? [];
    const [waiting] = queue ?? [];
    if (this.isStarting || caller === undefined || queue === undefined || waiting === undefined) return;
    if (this.inProgress > 0 && this.inProgress + waiting.bytes > MAX_BYTES) return;
    this.isStarting = true;
    this.remove(caller, waiting);
    // move this caller after all other callers
    if (this.queues.delete(caller)) this.queues.set(caller, queue);
    const startedAt = this.clock.monotonic();
    waiting.start();
    // the work begins before or in the next turn of the event loop
    setImmediate(() => {
      const tookMs = this.clock.monotonic() - startedAt;
      this.clock.after(Math.min(MAX_PAUSE_MS, PAUSE * tookMs), () => {
        this.isStarting = false;
        this.next();
      });
    });
  }

  private remove(caller: string, waiting: Waiting): void {
    const queue = this.queues.get(caller);
    queue?.delete(waiting);
    if (queue?.size === 0) this.queues.delete(caller);
  }
}

/** The scheduler of this process. */
export const LARGE_WORK = new LargeWork(systemClock);
