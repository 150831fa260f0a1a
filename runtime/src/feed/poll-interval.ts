import { type Clock, fraction } from "connect-rest-codec/internal";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { HeaderReader } from "../errors/retry-info.ts";
import { waitAfterFailure } from "./failure-backoff.ts";

/**
 * The shortest and longest interval between polls, whether a rule, an upstream or another process says it.
 * The plugin takes no other.
 */
const MIN_INTERVAL_MS = 1_000;
export const MAX_INTERVAL_MS = 24 * 3600 * 1_000;
/**
 * Each poll comes up to so much later than it may, of its wait and at most, so that many feeds are not polled
 * in step.
 */
const JITTER = 0.05;
const MAX_JITTER_MS = 900;

type IntervalRules = Pick<PollAdapter, "intervalHeader" | "intervalMs">;

/** The interval between polls of a feed: never less than the upstream asks for. */
export class PollInterval {
  ms: number;
  private readonly header: string | undefined;
  private readonly declaredMs: number;
  private asked = 0;
  /** In a row. */
  private failures = 0;

  constructor({ intervalHeader, intervalMs }: IntervalRules) {
    this.header = intervalHeader;
    this.declaredMs = boundedInterval(intervalMs);
    this.ms = this.declaredMs;
  }

  /** Reads what a response asks for; of the responses of one poll the longest interval counts. */
  responded(header: HeaderReader): void {
    this.asked = Math.max(this.asked, askedInterval(header, this.header) ?? this.declaredMs);
  }

  /**
   * How long to wait after a poll.
   *
   * @param error the error that the poll ended with
   * @returns milliseconds; undefined where polling again makes no sense
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

/** A wait with a random part. */
export function jittered(ms: number, clock: Clock): number {
  return ms + Math.floor(fraction(clock) * Math.min(ms * JITTER, MAX_JITTER_MS));
}

/**
 * The interval that an upstream asks for, in milliseconds; undefined where it does not say.
 *
 * @param name the header that has the number of seconds, in lower case
 */
export function askedInterval(header: HeaderReader, name: string | undefined): number | undefined {
  const text = name === undefined ? "" : (header(name) ?? "");
  // a header that stands there twice is one list
  const asked = text.split(",").map((each) => each.trim());
  const seconds = asked.filter((each) => /^\d+(\.\d+)?$/.test(each)).map(Number);
  return seconds.length > 0 ? boundedInterval(Math.max(...seconds) * 1_000) : undefined;
}

/** An interval that is neither too short nor too long. */
export function boundedInterval(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, MIN_INTERVAL_MS), MAX_INTERVAL_MS);
}
