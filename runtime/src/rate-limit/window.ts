/** A limit of requests in a span of time. Times are milliseconds on the clock's monotonic scale. */
export interface Window {
  /** When a request may go at the earliest, not before `from`. */
  earliest(from: number, requests: number): number;
  /** Reserves a time that `earliest` gave. */
  add(time: number): void;
  /** Gives a reserved time back. */
  remove(time: number): void;
  /** Drops what counts no more. */
  forget(now: number): void;
  /** Whether nothing counts any more. */
  readonly empty: boolean;
}
