import type { Clock } from "connect-rest-codec/internal";
import type { Window } from "./window.ts";

const HOUR_MS = 3_600_000;

/**
 * The minimum delay between midnight and the first request of a day, in milliseconds. Clocks and timers are
 * not exact.
 */
const AFTER_MIDNIGHT_MS = 10;

/** Reports whether a string names a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en-CA", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** A window that spans the calendar day in a time zone. */
export class CalendarDay implements Window {
  private readonly clock: Clock;
  private readonly format: Intl.DateTimeFormat;
  /** Maps the end of each day, in milliseconds since 1970, to the number of requests on that day. */
  private readonly days = new Map<number, number>();
  private known = { begin: 0, end: 0 };

  /** @throws RangeError for an unknown time zone */
  constructor(timeZone: string, clock: Clock) {
    this.clock = clock;
    this.format = new Intl.DateTimeFormat("en-CA", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
  }

  earliest(from: number, requests: number): number {
    const offset = this.clock.now() - this.clock.monotonic();
    let time = from + offset;
    while ((this.days.get(this.endOf(time)) ?? 0) >= requests) time = this.endOf(time) + AFTER_MIDNIGHT_MS;
    return time - offset;
  }

  add(time: number): void {
    this.count(time, 1);
  }

  remove(time: number): void {
    this.count(time, -1);
  }

  forget(now: number): void {
    const wall = this.wall(now);
    for (const [end, count] of this.days) if (end <= wall || count <= 0) this.days.delete(end);
  }

  get empty(): boolean {
    return this.days.size === 0;
  }

  private count(time: number, change: number): void {
    const end = this.endOf(this.wall(time));
    this.days.set(end, (this.days.get(end) ?? 0) + change);
  }

  private wall(time: number): number {
    return time + this.clock.now() - this.clock.monotonic();
  }

  /**
   * Returns the end of the day that contains a time: the first moment with another date, which is not always
   * 24 hours after the start.
   */
  private endOf(time: number): number {
    const { begin, end } = this.known;
    if (time >= begin && time < end) return end;
    const day = this.format.format(time);
    let inside = time;
    let outside = time + 26 * HOUR_MS;
    while (outside - inside > 1) {
      const middle = Math.floor((inside + outside) / 2);
      if (this.format.format(middle) === day) {
        inside = middle;
      } else {
        outside = middle;
      }
    }
    this.known = { begin: time, end: outside };
    return outside;
  }
}
