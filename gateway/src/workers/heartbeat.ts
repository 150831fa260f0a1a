/** How many beats in a row may stay without a response. */
export const SILENT_BEATS = 60;

/**
 * Tells a worker that is stopped, or hangs for good, from one that is busy. Beats are counted and not the
 * time: where all processes were suspended together, none of them was silent.
 */
export class Heartbeat {
  private silent = 0;

  /** A beat is sent; false when too many before it had no response. */
  beat(): boolean {
    this.silent += 1;
    return this.silent <= SILENT_BEATS;
  }

  /** The worker has responded. */
  heard(): void {
    this.silent = 0;
  }
}
