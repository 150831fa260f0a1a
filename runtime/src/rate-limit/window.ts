/** The requests within a window of time. Times are in milliseconds on the clock's monotonic scale. */
export interface Window {
  /** Returns the earliest time, not before `from`, at which another request fits. */
  earliest(from: number, requests: number): number;
  /** Reserves a time that `earliest` returned. */
  add(time: number): void;
  /** Releases a reserved time. */
  remove(time: number): void;
  /** Drops requests that have left the window. */
  forget(now: number): void;
  /** Whether the window is empty. */
  readonly empty: boolean;
}
