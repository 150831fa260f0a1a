import type { ConnectError } from "@connectrpc/connect";
import { drainingError } from "../call/call-errors.ts";
import { Callbacks } from "../listener/callbacks.ts";

/** A stream that can be ended with an error. */
export interface OpenStream {
  stop(error: ConnectError): void;
}

/**
 * The open streams, which all end when the process shuts down. All of them share a single listener on the
 * signal, because adding a listener to a signal that already has thousands is slow.
 */
export class OpenStreams {
  private readonly streams = new Set<OpenStream>();
  private isOver = false;

  /** @param end the signal that ends all streams */
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

  /** The number of open streams. */
  get size(): number {
    return this.streams.size;
  }

  /** Adds a stream, or ends it if the signal is already aborted. */
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
