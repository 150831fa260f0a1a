/**
 * Sends a message to another process; resolves when the channel has taken it, or is gone. It never rejects.
 */
export type Send<M> = (message: M) => Promise<void>;

/** Whoever has messages to send. */
export interface Source<M> {
  /** The next message, made when it can be sent; undefined where there is none now. */
  next(): M | undefined;
}

/**
 * Sends what several have to say over one channel, one message at a time and each in its turn. A message is
 * made when the one before it was taken, so that nothing piles up where the other end does not read.
 */
export class Pump<M> {
  private readonly send: Send<M>;
  private readonly due = new Set<Source<M>>();
  private isRunning = false;

  constructor(send: Send<M>) {
    this.send = send;
  }

  /** Sends all that a source has. */
  wake(source: Source<M>): void {
    this.due.add(source);
    if (this.isRunning) return;
    this.isRunning = true;
    void this.run();
  }

  /** Asks nobody any more. */
  stop(): void {
    this.due.clear();
  }

  private async run(): Promise<void> {
    // one that comes again stands behind the others
    for (const source of this.due) {
      this.due.delete(source);
      const message = source.next();
      if (message === undefined) continue;
      this.due.add(source);
      await this.send(message);
    }
    this.isRunning = false;
  }
}
