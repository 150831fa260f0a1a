import type { ConnectError } from "@connectrpc/connect";
import { drainingError } from "../call/call-errors.ts";
import { Callbacks } from "../listener/callbacks.ts";

/** A stream that can be ended with an error. */
export interface OpenStream {
  stop(error: ConnectError): void;
}

/**
 * The streams that are open, which all end when the process goes down: one listener of the signal for all of
 * them, since a signal with thousands takes long to get another.
 */
export class OpenStreams {
  private readonly streams = new Set<OpenStream>();
  private isOver = false;

  /** @param end aborted when streams have to end */
  constructor(end: AbortSignal) {
    const endAll = () => {
      this.isOver = true;
      for (const each of [...this.streams]) each.stop(drainingError());
      this.streams.clear();
    };
    if (end.aborted) {
      endAll();
    } else {
      new Callbacks(() => undefined).onAbort(end, endAll);
    }
  }

  /** How many are open. */
  get size(): number {
    return this.streams.size;
  }

  /** Adds a stream, or ends it where all have ended. */
  add(stream: OpenStream): void {
    if (this.isOver) {
      stream.stop(drainingError());
    } else {
      this.streams.add(stream);
    }
  }

  remove(stream: OpenStream): void {
    this.streams.delete(stream);
  }
}
