/** Limits the number of concurrent pieces of work; others wait in order of arrival. */
export class Turns {
  private readonly limit: number;
  private readonly waiting = new Set<() => void>();
  private running = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Runs work when it is its turn. Rejects with the reason of the signal if it is aborted before. */
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
    // the first waiter takes over the slot, which never becomes free
    this.waiting.delete(first);
    first();
  }
}
