import { FairShare } from "connect-rest-runtime/internal";

/** Thrown if a full queue rejects a client's job. */
export class QueueFull extends Error {}

interface Waiting {
  readonly start: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Limits the number of concurrent jobs. Clients take turns, so a client with many waiting jobs does not delay
 * a client with few. The jobs of one client run in the order of their arrival.
 */
export class FairQueue {
  private readonly concurrency: number;
  private readonly capacity: number;
  /** The waiting jobs of each client; the client at the front is next. */
  private readonly queues = new Map<string, Waiting[]>();
  private running = 0;
  private readonly share: FairShare;

  /**
   * @param concurrency the maximum number of running jobs
   * @param capacity the maximum number of waiting jobs
   */
  constructor(concurrency: number, capacity: number) {
    this.concurrency = concurrency;
    this.capacity = capacity;
    this.share = new FairShare(() => capacity);
  }

  /** The number of waiting jobs. */
  get waiting(): number {
    return this.share.total;
  }

  /**
   * Runs a client's job, immediately or later; never starts it after the signal is aborted.
   *
   * @returns the result of the job. Rejects with the signal's reason, or with QueueFull if the queue is full
   *   and this is the newest job of the client with the most waiting jobs.
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

  /** Waits until the job may run, and takes a slot. */
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

  /** @throws QueueFull if the client itself has the most waiting jobs */
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
    // move the client to the end of the order
    if (this.queues.delete(client)) this.queues.set(client, queue);
    // the waiting job takes over the slot, so the slot never becomes free
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
