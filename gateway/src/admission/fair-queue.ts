import { FairShare } from "connect-rest-runtime/internal";

/** The queue has no place left for more work of a client. */
export class QueueFull extends Error {}

interface Waiting {
  readonly start: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Lets a few pieces of work run at the same time. The others wait, and take turns by client: who has much
 * waiting does not hold up who has little. What waits longest of one client is next of that client.
 */
export class FairQueue {
  private readonly concurrency: number;
  private readonly capacity: number;
  /** By client; the first one is next. */
  private readonly queues = new Map<string, Waiting[]>();
  private running = 0;
  private readonly share: FairShare;

  /**
   * @param concurrency how much may run at the same time
   * @param capacity how much may wait
   */
  constructor(concurrency: number, capacity: number) {
    this.concurrency = concurrency;
    this.capacity = capacity;
    this.share = new FairShare(() => capacity);
  }

  /** How much waits. */
  get waiting(): number {
    return this.share.total;
  }

  /**
   * Runs work of a client, now or later; not at all once the signal is aborted.
   *
   * @returns what the work returns; rejects with the reason of the signal, or with QueueFull: when nobody
   *   else may wait, the newest work is rejected of the client that has most
   */
  async run<T>(client: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.running < this.concurrency) {
      this.running++;
    } else {
      await this.turn(client, signal);
    }
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.next();
    }
  }

  /** Waits for a place among what runs, which is then taken. */
  private turn(client: string, signal: AbortSignal): Promise<void> {
    this.makeRoom(client);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        if (this.remove(client, waiting)) reject(signal.reason);
      };
      const settled = (act: () => void) => {
        signal.removeEventListener("abort", onAbort);
        act();
      };
      const waiting: Waiting = {
        start: () => settled(resolve),
        reject: (reason) => settled(() => reject(reason)),
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const queue = this.queues.get(client);
      if (queue === undefined) {
        this.queues.set(client, [waiting]);
      } else {
        queue.push(waiting);
      }
      this.share.add(client);
    });
  }

  /** @throws QueueFull when the client itself has most of what waits */
  private makeRoom(client: string): void {
    if (this.waiting < this.capacity) return;
    const loser = this.share.loser(client);
    const newest = loser === undefined ? undefined : this.queues.get(loser)?.at(-1);
    if (loser === undefined || newest === undefined || !this.remove(loser, newest)) throw new QueueFull();
    newest.reject(new QueueFull());
  }

  private next(): void {
    const [client, queue] = this.queues.entries().next().value ?? [];
    const first = queue?.[0];
    if (client === undefined || queue === undefined || first === undefined) {
      this.running--;
      return;
    }
    this.remove(client, first);
    // others first
    if (this.queues.delete(client)) this.queues.set(client, queue);
    // whoever waits takes over the place; it never becomes free
    first.start();
  }

  private remove(client: string, waiting: Waiting): boolean {
    const queue = this.queues.get(client) ?? [];
    const index = queue.indexOf(waiting);
    if (index < 0) return false;
    queue.splice(index, 1);
    this.share.remove(client);
    if (queue.length === 0) this.queues.delete(client);
    return true;
  }
}
