import type { Clock } from "./clock.ts";

/** The part of the time that large work leaves to everything else, while more of it waits. */
const PAUSE = 0.5;

/** How long at most everything else has the process for itself between two pieces of large work, in milliseconds. */
const MAX_PAUSE_MS = 200;

/**
 * Lets pieces of work begin one after the other that hold the event loop for long, such as the decoding of megabytes. Callers
 * take turns, and between two pieces everything else goes on: without that, the responses of one caller that come all at once
 * would keep all others waiting until the last of them is decoded.
 */
export class LargeWork {
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  /** By caller; the first one is next. */
  private readonly queues = new Map<string, Set<() => void>>();
  private isBusy = false;

  constructor(clock: Pick<Clock, "monotonic" | "after">) {
    this.clock = clock;
  }

  /** Resolves when the caller may begin. Rejects with the reason of the signal once that is aborted before. */
  turn(caller: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        this.remove(caller, start);
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const queue = this.queues.get(caller) ?? new Set();
      this.queues.set(caller, queue.add(start));
      if (!this.isBusy) this.next();
    });
  }

  private next(): void {
    const [caller, queue] = this.queues.entries().next().value ?? [];
    const [start] = queue ?? [];
    this.isBusy = start !== undefined;
    if (caller === undefined || queue === undefined || start === undefined) return;
    this.remove(caller, start);
    // others first
    if (this.queues.delete(caller)) this.queues.set(caller, queue);
    const startedAt = this.clock.monotonic();
    start();
    // the work runs before the next turn of the event loop, or begins then
    setImmediate(() => {
      const tookMs = this.clock.monotonic() - startedAt;
      this.clock.after(Math.min(MAX_PAUSE_MS, PAUSE * tookMs), () => this.next());
    });
  }

  private remove(caller: string, start: () => void): void {
    const queue = this.queues.get(caller);
    queue?.delete(start);
    if (queue?.size === 0) this.queues.delete(caller);
  }
}
