import { type Clock, fraction } from "connect-rest-codec/internal";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { HeaderReader } from "../errors/retry-info.ts";
import { waitAfterFailure } from "./failure-backoff.ts";

/**
 * The minimum and the maximum interval between polls. They apply to intervals from rules, upstreams and other
 * processes. The plugin enforces the same bounds.
 */
const MIN_INTERVAL_MS = 1_000;
export const MAX_INTERVAL_MS = 24 * 3600 * 1_000;
/**
 * The maximum random delay of a poll, as a fraction of the wait before it. The delay prevents many feeds from
 * being polled at the same moment.
 */
const JITTER = 0.05;
const MAX_JITTER_MS = 900;

type IntervalRules = Pick<PollAdapter, "intervalHeader" | "intervalMs">;

/** The interval between polls of a feed, at least as long as the upstream requests. */
export class PollInterval {
  ms: number;
  private readonly header: string | undefined;
  private readonly declaredMs: number;
  private asked = 0;
  /** Consecutive failures. */
  private failures = 0;

  constructor({ intervalHeader, intervalMs }: IntervalRules) {
    this.header = intervalHeader;
    this.declaredMs = boundedInterval(intervalMs);
    this.ms = this.declaredMs;
  }

  /**
   * Reads the interval that a response requests. If the responses of one poll request different intervals,
   * the longest one applies.
   */
  responded(header: HeaderReader): void {
    this.asked = Math.max(this.asked, askedInterval(header, this.header) ?? this.declaredMs);
  }

  /**
   * Returns the wait after a poll.
   *
   * @param error the error of the poll
   * @returns the wait in milliseconds, or undefined if polling again cannot help
   */
  waitAfter(error: unknown): number | undefined {
    if (this.asked > 0) this.ms = this.asked;
    this.asked = 0;
    if (error !== undefined) {
      return waitAfterFailure({ error, intervalMs: this.ms, failures: this.failures++ });
    }
    this.failures = 0;
    return this.ms;
  }
}

/** Adds a random delay to a wait. */
export function jittered(ms: number, clock: Clock): number {
  return ms + Math.floor(fraction(clock) * Math.min(ms * JITTER, MAX_JITTER_MS));
}

/**
 * Returns the interval that an upstream requests, in milliseconds, or undefined if it requests none.
 *
 * @param name the header with the number of seconds, in lower case
 */
export function askedInterval(header: HeaderReader, name: string | undefined): number | undefined {
  const text = name === undefined ? "" : (header(name) ?? "");
  // a header that occurs twice has a comma-separated list as its value
  const asked = text.split(",").map((each) => each.trim());
  const seconds = asked.filter((each) => /^\d+(\.\d+)?$/.test(each)).map(Number);
  return seconds.length > 0 ? boundedInterval(Math.max(...seconds) * 1_000) : undefined;
}

/** Limits an interval to the allowed range. */
export function boundedInterval(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, MIN_INTERVAL_MS), MAX_INTERVAL_MS);
}
