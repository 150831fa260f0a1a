import type { ConnectError } from "@connectrpc/connect";
import { drainingError } from "../call/call-errors.ts";
import { Callbacks } from "../listener/callbacks.ts";

/** Ends a stream with an error. */
export type EndStream = (error: ConnectError) => void;

/**
 * The streams that are open, which all end when the process goes down: one listener of the signal for all of them, since a
 * signal with thousands takes long to get another.
 */
export class OpenStreams {
  private readonly streams = new Set<EndStream>();
  private isOver = false;

  /** @param end aborted when streams have to end */
  constructor(end: AbortSignal) {
    const endAll = () => {
      this.isOver = true;
      for (const each of this.streams) each(drainingError());
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
  add(end: EndStream): void {
    if (this.isOver) {
      end(drainingError());
    } else {
      this.streams.add(end);
    }
  }

  remove(end: EndStream): void {
    this.streams.delete(end);
  }
}
