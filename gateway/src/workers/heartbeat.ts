/** The number of consecutive heartbeats without a response after which a worker counts as dead. */
export const SILENT_BEATS = 60;

/**
 * Distinguishes a worker that is stopped, or hangs forever, from a worker that is busy. Counts heartbeats
 * instead of measuring time, so that a suspension of all processes together does not count.
 */
export class Heartbeat {
  private silent = 0;

  /** Counts a heartbeat that is sent; returns false if too many in a row had no response. */
  beat(): boolean {
    this.silent += 1;
    return this.silent <= SILENT_BEATS;
  }

  /** Records a response of the worker. */
  heard(): void {
    this.silent = 0;
  }
}
