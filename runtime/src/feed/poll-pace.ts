import { type Clock, fraction } from "connect-rest-codec/internal";
import type { HeaderReader } from "../errors/retry-info.ts";
import { waitAfterFailure } from "./failure-backoff.ts";
import { askedInterval, boundedInterval } from "./poll-interval.ts";

/** Polls of many feeds do not stay in step: each comes up to so much later than it may, of its interval and at most. */
const JITTER = 0.05;
const MAX_JITTER_MS = 900;

/** How far polls are apart: never less than the upstream asks for. */
export class PollPace {
  /** What the upstream asks for. */
  intervalMs: number;
  private readonly header: string | undefined;
  private readonly clock: Clock;
  private asked = 0;
  private failures = 0;

  /** @param header the one that says how many seconds to wait, in lower case */
  constructor(header: string | undefined, intervalMs: number, clock: Clock) {
    this.header = header;
    this.intervalMs = boundedInterval(intervalMs);
    this.clock = clock;
  }

  /** Reads what a response asks for; of those of one poll the longest counts. */
  onResponse(header: HeaderReader, fallbackMs: number): void {
    this.asked = Math.max(this.asked, askedInterval(header, this.header) ?? fallbackMs);
  }

  /**
   * How long to wait for the next poll, from the end of this one.
   *
   * @param error what the poll ended with
   * @returns undefined where polling again makes no sense
   */
  next(error: unknown): number | undefined {
    if (this.asked > 0) this.intervalMs = this.asked;
    this.asked = 0;
    if (error === undefined) {
      this.failures = 0;
      return this.jittered(this.intervalMs);
    }
    const wait = waitAfterFailure({ error, intervalMs: this.intervalMs, failures: this.failures++ });
    return wait === undefined ? undefined : this.jittered(wait);
  }

  /** The wait that an interval of another process means. */
  follow(intervalMs: number): void {
    this.intervalMs = boundedInterval(intervalMs);
  }

  private jittered(ms: number): number {
    return ms + Math.floor(fraction(this.clock) * Math.min(ms * JITTER, MAX_JITTER_MS));
  }
}
