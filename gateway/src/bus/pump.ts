/**
 * Sends a message to another process; resolves when the channel has accepted the message or has closed. Never
 * rejects.
 */
export type Send<M> = (message: M) => Promise<void>;

/** A source of messages. */
export interface Source<M> {
  /** Returns the next message, created when it can be sent; undefined if there is none. */
  next(): M | undefined;
}

/**
 * Sends the messages of several sources over one channel, one message at a time, taking turns. It creates a
 * message only after the previous one was accepted, so nothing accumulates if the other end does not read.
 */
export class Pump<M> {
  private readonly send: Send<M>;
  private readonly due = new Set<Source<M>>();
  private isRunning = false;

  constructor(send: Send<M>) {
    this.send = send;
  }

  /** Sends all messages of a source. */
  wake(source: Source<M>): void {
    this.due.add(source);
    if (this.isRunning) return;
    this.isRunning = true;
    void this.run();
  }

  /** Stops reading from sources. */
  stop(): void {
    this.due.clear();
  }

  private async run(): Promise<void> {
    // a source that wakes again moves to the end
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
