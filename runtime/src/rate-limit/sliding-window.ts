import type { Window } from "./window.ts";

/** A sliding window, whose limit applies to any time span of its length. */
export class SlidingWindow implements Window {
  private readonly lengthMs: number;
  /** The times of requests in ascending order. Times in the future are reservations. */
  private times: number[] = [];
  private begin = 0;

  constructor(lengthMs: number) {
    this.lengthMs = lengthMs;
  }

  earliest(from: number, requests: number): number {
    let time = from;
    // each iteration skips a full span, so the loop ends
    for (;;) {
      const full = this.fullSpan(time, requests);
      if (full === undefined) return time;
      time = full + this.lengthMs;
    }
  }

  add(time: number): void {
    this.times.splice(this.indexAfter(time), 0, time);
  }

  remove(time: number): void {
    const index = this.indexAfter(time) - 1;
    if (index >= this.begin && this.times[index] === time) this.times.splice(index, 1);
  }

  forget(now: number): void {
    const limit = now - this.lengthMs;
    while ((this.times[this.begin] ?? Number.POSITIVE_INFINITY) <= limit) this.begin++;
    if (this.begin < 1024 && this.begin < this.times.length) return;
    this.times = this.times.slice(this.begin);
    this.begin = 0;
  }

  get empty(): boolean {
    return this.times.length === this.begin;
  }

  /**
   * Returns the time of the first request in a full time span around `time`, or undefined if another request
   * fits.
   */
  private fullSpan(time: number, requests: number): number | undefined {
    const after = this.indexAfter(time);
    const last = Math.min(after, this.times.length - requests);
    for (let first = Math.max(this.begin, after - requests); first <= last; first++) {
      const start = this.times[first];
      const end = this.times[first + requests - 1];
      if (start === undefined || end === undefined) continue;
      if (Math.max(end, time) - Math.min(start, time) < this.lengthMs) return start;
    }
    return undefined;
  }

  /** Returns the index after all times up to `time`. This index is nearly always at the end. */
  private indexAfter(time: number): number {
    let index = this.times.length;
    while (index > this.begin && (this.times[index - 1] ?? 0) > time) index--;
    return index;
  }
}
