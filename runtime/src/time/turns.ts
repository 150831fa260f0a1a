/** Limits the number of tasks that run at the same time. Other tasks wait in order of arrival. */
export class Turns {
  private readonly limit: number;
  private readonly waiting = new Set<() => void>();
  private running = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /**
   * Runs a task when its turn comes. Rejects with the reason of the signal if the signal is aborted before
   * that.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.running < this.limit) {
      this.running++;
    } else {
      await this.turn(signal);
    }
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.next();
    }
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        if (this.waiting.delete(start)) reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.waiting.add(start);
    });
  }

  private next(): void {
    const [first] = this.waiting;
    if (first === undefined) {
      this.running--;
      return;
    }
    // the first waiting task takes over the slot, which is therefore never released
    this.waiting.delete(first);
    first();
  }
}
