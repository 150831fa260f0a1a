import { type Clock, systemClock } from "./clock.ts";

/** The part of the time that large work leaves to everything else, while more of it waits. */
const PAUSE = 0.5;

/**
 * How long at most everything else has the process for itself between two pieces of large work,
 * in milliseconds.
 */
const MAX_PAUSE_MS = 200;

/**
 * How many bytes the work that is in progress may read in all, where there is more than one piece of it. What
 * is made of a response takes many times its size until it is printed.
 */
const MAX_BYTES = 16 * 1024 * 1024;

/** A piece of work that waits. */
interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Lets pieces of work begin one after the other that hold the event loop for long or are done in turns of it,
 * such as the decoding of megabytes. Callers take turns, and between two pieces everything else goes on:
 * without that, the responses of one caller that come all at once would keep all others waiting until the
 * last of them is decoded, and what is made of each would be in memory at the same time.
 */
export class LargeWork {
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  /** By caller; the first one is next. */
  private readonly queues = new Map<string, Set<Waiting>>();
  private isStarting = false;
  private inProgress = 0;

  constructor(clock: Pick<Clock, "monotonic" | "after">) {
    this.clock = clock;
  }

  /**
   * Resolves when the caller may begin to read so many bytes. Rejects with the reason of the
   * signal once that is aborted before.
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
        // it may have been what others waited behind
        this.next();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const queue = this.queues.get(caller) ?? new Set();
      this.queues.set(caller, queue.add(waiting));
      this.next();
    });
  }

  /**
   * Says that work on so many bytes is in progress, until what is returned is called. Where that begins no
   * later than in the turn of the event loop in which the work before it ended, on what that has made,
   * nothing begins in between.
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
    // others first
    if (this.queues.delete(caller)) this.queues.set(caller, queue);
    const startedAt = this.clock.monotonic();
    waiting.start();
    // the work runs before the next turn of the event loop, or begins then
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

/** The one of this process, whose event loop it is. */
export const LARGE_WORK = new LargeWork(systemClock);
