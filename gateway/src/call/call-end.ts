/**
 * The early end of a call: at its deadline, on its client's disconnection, or by an error. The AbortSignal is
 * created only on request, since few calls need it.
 */
export class CallEnd {
  private hasEnded = false;
  private why: unknown;
  private listener: ((reason: unknown) => void) | undefined;
  private controller: AbortController | undefined;

  get aborted(): boolean {
    return this.hasEnded;
  }

  /** The reason why the call ended; undefined while the call runs and after it succeeds. */
  get reason(): unknown {
    return this.why;
  }

  /** The signal that is aborted with the reason when the call ends. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.hasEnded) this.controller.abort(this.why);
    }
    return this.controller.signal;
  }

  /**
   * Sets the only listener, replacing the previous one; undefined removes it. Calls the listener immediately
   * if the call has already ended.
   */
  readonly onCancel = (listener: ((reason: unknown) => void) | undefined): void => {
    this.listener = listener;
    if (this.hasEnded) listener?.(this.why);
  };

  /** Ends the call, unless it has already ended. */
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
