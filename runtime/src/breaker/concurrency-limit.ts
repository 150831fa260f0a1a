import type { BreakerSettings } from "./breaker-options.ts";
import { CallerOutcomes } from "./outcomes.ts";

/** How many requests of one caller wait at most. */
const MAX_WAITING = 256;

/** The requests of callers at an origin. */
export interface Load {
  /** How many may run at a time; infinity where there is no limit. Each caller may always have one. */
  readonly limit: number;
  readonly running: number;
  /** How many wait for their turn. */
  readonly waiting: number;
}

/** A request that waits for its turn. */
interface Waiting {
  readonly start: (number: number) => void;
}

/**
 * How many requests run at an origin at a time: any number until requests of several callers fail, then
 * half of what ran, and half of that again; each success adds a part of one, and a limit of which less than
 * half is used is lifted (AIMD, as TCP controls congestion, RFC 5681). Callers take turns. A caller that has
 * no request running may always send one: so the limit is never zero, and slow requests of some callers do
 * not hold up the others.
 */
export class ConcurrencyLimit {
  private limit = Number.POSITIVE_INFINITY;
  private readonly outcomes: CallerOutcomes;
  private readonly running = new Map<string, number>();
  private all = 0;
  /** By caller, in the order of their turns; none is empty. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private starts = 0;
  /** How many requests had started when the limit was lowered last: these say nothing about the new limit. */
  private loweredAt = 0;

  constructor(settings: Pick<BreakerSettings, "failures" | "window" | "ratio">) {
    this.outcomes = new CallerOutcomes(settings);
  }

  /** The limit, with the requests that run and wait now. */
  get load(): Load {
    const waiting = [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
    return { limit: this.limit, running: this.all, waiting };
  }

  /** Whether so many requests of a caller wait that a further one may not. */
  isFull(caller: string): boolean {
    return (this.waiting.get(caller)?.size ?? 0) >= MAX_WAITING;
  }

  /**
   * A request begins, now or when it has its turn; `leave` ends it.
   *
   * @returns its number, which `leave` takes; rejects with the reason of the signal while it waits
   */
  enter(caller: string, signal: () => AbortSignal): number | Promise<number> {
    const mayStart = this.all < this.limit || !this.running.has(caller);
    return mayStart ? this.start(caller) : this.turn(caller, signal());
  }

  /** A request has ended, and had failed or not; undefined where nobody knows. */
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

  /** Starts the oldest waiting request of a caller, whose turn is last then. */
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
