/**
 * Sends a message to another process; resolves when the channel has accepted the message or has closed. Never
 * rejects.
 */
export type Send<M> = (message: M) => Promise<void>;

/** A source of messages. */
export interface Source<M> {
  /** Creates the next message once the channel can send it; returns undefined if no message is pending. */
  next(): M | undefined;
}

/**
 * Sends the messages of several sources in turn over one channel, one message at a time. A message is created
 * only after the previous message has been accepted, so nothing accumulates if the receiver does not read.
 */
export class Pump<M> {
  private readonly send: Send<M>;
  private readonly due = new Set<Source<M>>();
  private isRunning = false;

  constructor(send: Send<M>) {
    this.send = send;
  }

  /** Sends all pending messages of a source. */
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
    // a source that is woken again moves to the end
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
