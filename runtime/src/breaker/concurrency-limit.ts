import type { BreakerSettings } from "./breaker-options.ts";
import { CallerOutcomes } from "./outcomes.ts";

/** The maximum number of waiting requests of one caller. */
const MAX_WAITING = 256;

/** The number of running and waiting requests at an origin. */
export interface Load {
  /**
   * The maximum number of concurrent requests, or infinity. A caller without a running request may exceed it.
   */
  readonly limit: number;
  readonly running: number;
  /** The number of waiting requests. */
  readonly waiting: number;
}

/** A request that waits for its turn. */
interface Waiting {
  readonly start: (number: number) => void;
}

/**
 * Limits the number of concurrent requests at an origin. There is no limit until requests of several callers
 * fail; then the limit is half the number of running requests, and each further failure across several
 * callers halves it. Each success raises the limit by a fraction of one request. The limit is removed once
 * less than half of it is used (AIMD, as in TCP congestion control, RFC 5681). Callers take turns. A caller
 * without a running request may always send one, so the limit is never zero, and slow requests of some
 * callers do not delay other callers.
 */
export class ConcurrencyLimit {
  private limit = Number.POSITIVE_INFINITY;
  private readonly outcomes: CallerOutcomes;
  private readonly running = new Map<string, number>();
  private all = 0;
  /** The waiting requests of each caller; callers are in the order of their turns. No set is empty. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private starts = 0;
  /**
   * The number of requests that had started when the limit was last lowered. The outcomes of these requests
   * do not count for the new limit.
   */
  private loweredAt = 0;

  constructor(settings: Pick<BreakerSettings, "failures" | "window" | "ratio">) {
    this.outcomes = new CallerOutcomes(settings);
  }

  /** The limit, and the number of running and waiting requests. */
  get load(): Load {
    const waiting = [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
    return { limit: this.limit, running: this.all, waiting };
  }

  /** Reports whether a caller has the maximum number of waiting requests. */
  isFull(caller: string): boolean {
    return (this.waiting.get(caller)?.size ?? 0) >= MAX_WAITING;
  }

  /**
   * Begins a request, immediately or once its turn has come; `leave` ends the request.
   *
   * @returns the number of the request, for `leave`. Rejects with the reason of the signal if it is aborted
   *   during the wait.
   */
  enter(caller: string, signal: () => AbortSignal): number | Promise<number> {
    const mayStart = this.all < this.limit || !this.running.has(caller);
    return mayStart ? this.start(caller) : this.turn(caller, signal());
  }

  /** Ends a request. `failed` is undefined if the outcome is unknown. */
  leave(caller: string, number: number, failed: boolean | undefined): void {
    if (failed !== undefined && number > this.loweredAt) this.adapt(caller, failed);
    this.all--;
    const left = (this.running.get(caller) ?? 0) - 1;
    if (left > 0) {
      this.running.set(caller, left);
    } else {
      this.running.delete(caller);
      this.startNext(caller);
    }
    if (this.waiting.size === 0) return;
    for (const [next] of this.waiting) {
      if (this.all >= this.limit) return;
      this.startNext(next);
    }
  }

  private adapt(caller: string, failed: boolean): void {
    this.outcomes.add(caller, failed);
    if (!failed) {
      const isNeeded = this.waiting.size > 0 || this.all >= this.limit / 2;
      this.limit = isNeeded ? this.limit + 1 / this.limit : Number.POSITIVE_INFINITY;
    } else if (this.outcomes.areFailingForSeveral) {
      this.limit = Math.max(1, Math.min(this.limit, this.all) / 2);
      this.loweredAt = this.starts;
      this.outcomes.clear();
    }
  }

  private start(caller: string): number {
    this.all++;
    this.running.set(caller, (this.running.get(caller) ?? 0) + 1);
    return ++this.starts;
  }

  /** Starts the oldest waiting request of a caller, and moves the caller to the end of the queue. */
  private startNext(caller: string): void {
    const own = this.waiting.get(caller);
    const [first] = own ?? [];
    if (own === undefined || first === undefined) return;
    this.waiting.delete(caller);
    own.delete(first);
    if (own.size > 0) this.waiting.set(caller, own);
    first.start(this.start(caller));
  }

  private turn(caller: string, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const own = this.waiting.get(caller) ?? new Set();
      const onAbort = () => {
        own.delete(waiting);
        if (own.size === 0) this.waiting.delete(caller);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        start: (number) => {
          signal.removeEventListener("abort", onAbort);
          resolve(number);
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.waiting.set(caller, own.add(waiting));
    });
  }
}
