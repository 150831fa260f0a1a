/**
 * How a call ends before its time: at its deadline, when its client is gone, or with an error. It makes an
 * AbortSignal when somebody asks for one, which few calls do.
 */
export class CallEnd {
  private hasEnded = false;
  private why: unknown;
  private listener: ((reason: unknown) => void) | undefined;
  private controller: AbortController | undefined;

  get aborted(): boolean {
    return this.hasEnded;
  }

  /** What it ended with; undefined while it goes on, and when all went well. */
  get reason(): unknown {
    return this.why;
  }

  /** Aborted with the reason when the call ends. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.hasEnded) this.controller.abort(this.why);
    }
    return this.controller.signal;
  }

  /**
   * Takes the one listener, in place of the one before; calls it at once where the call has ended.
   * undefined for none.
   */
  readonly onCancel = (listener: ((reason: unknown) => void) | undefined): void => {
    this.listener = listener;
    if (this.hasEnded) listener?.(this.why);
  };

  /** Ends the call, unless it has ended. */
  end(reason: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.why = reason;
    const { listener } = this;
    this.listener = undefined;
    listener?.(reason);
    this.controller?.abort(reason);
  }
}
