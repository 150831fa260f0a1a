import type { Clock } from "connect-rest-codec/internal";

/** A clock that only a test advances. */
export class FakeClock implements Clock {
  private time: number;
  private readonly timers = new Set<{ readonly at: number; readonly act: () => void }>();

  private readonly waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();

  constructor(time = 1_700_000_000_000) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  randomHex(bytes: number): string {
    return "ab".repeat(bytes);
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.time + ms, act };
    this.timers.add(timer);
    for (const waiting of [...this.waiting]) {
      if (this.timers.size < waiting.count) continue;
      this.waiting.delete(waiting);
      waiting.resolve();
    }
    return () => this.timers.delete(timer);
  }

  /** The number of running timers. */
  get running(): number {
    return this.timers.size;
  }

  /** Resolves when this many timers are running. */
  async whenRunning(count: number): Promise<void> {
    if (this.timers.size >= count) return;
    await new Promise<void>((resolve) => this.waiting.add({ count, resolve }));
  }

  /** Advances the time, and fires the timers that are due. */
  advance(ms: number): void {
    this.time += ms;
    for (const timer of [...this.timers]) {
      if (timer.at > this.time) continue;
      this.timers.delete(timer);
      timer.act();
    }
  }
}
