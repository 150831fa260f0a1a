/** The number of consecutive heartbeats without a response after which a worker counts as dead. */
export const SILENT_BEATS = 60;

/**
 * Distinguishes a worker that is stopped, or hangs forever, from a worker that is busy. Counts heartbeats
 * instead of measuring time, because a suspension of all processes must not count.
 */
export class Heartbeat {
  private silent = 0;

  /**
   * Counts a heartbeat that is being sent; returns false if too many consecutive heartbeats got no response.
   */
  beat(): boolean {
    this.silent += 1;
    return this.silent <= SILENT_BEATS;
  }

  /** Records a response of the worker. */
  heard(): void {
    this.silent = 0;
  }
}
