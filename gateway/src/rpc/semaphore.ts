/** Lets a few run at the same time, and the others wait in the order in which they came. */
export class Semaphore {
  private readonly limit: number;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.limit) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // Whoever waits takes over the permit; it never becomes free.
      if (next === undefined) {
        this.running -= 1;
      } else {
        next();
      }
    }
  }
}
