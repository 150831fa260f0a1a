import type { DispatchController } from "../http/requester.ts";

/** The operations of a connection that an exchange controls. */
export interface Controlled {
  /** Closes the connection. */
  aborted(control: ExchangeControl, reason: Error): void;
  /** Pauses reading from the connection. */
  paused(control: ExchangeControl): void;
  resumed(control: ExchangeControl): void;
}

/**
 * Controls one exchange, or forwards to a successor after a handover. Does nothing after the exchange has
 * ended.
 */
export class ExchangeControl implements DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  private readonly connection: Controlled;
  private successor: DispatchController | undefined;

  constructor(connection: Controlled) {
    this.connection = connection;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    if (this.successor === undefined) {
      this.connection.aborted(this, reason);
    } else {
      this.successor.abort(reason);
    }
  }

  pause(): void {
    this.paused = true;
    if (this.successor === undefined) {
      this.connection.paused(this);
    } else {
      this.successor.pause();
    }
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    if (this.successor === undefined) {
      this.connection.resumed(this);
    } else {
      this.successor.resume();
    }
  }

  /** Hands control of the exchange over to another controller. */
  handOver(successor: DispatchController): void {
    this.successor = successor;
    if (this.reason !== null) {
      successor.abort(this.reason);
    } else if (this.paused) {
      successor.pause();
    }
  }
}
