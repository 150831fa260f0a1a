import { Code, ConnectError } from "@connectrpc/connect";
import { infoOf } from "../errors/rest-error.ts";
import type { HeaderReader } from "../errors/retry-info.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { ERRORS } from "../errors/table.ts";
import { askedInterval, boundedInterval } from "../stream/poll-interval.ts";
import { type Clock, fraction } from "../time/clock.ts";

/** The longest wait after failures, unless the upstream asks for more. */
const MAX_BACKOFF_MS = 15 * 60_000;
/** The wait after a limit that does not say when it ends. */
const LIMIT_MS = 60_000;
/** Polls of many feeds do not stay in step: each comes up to so much later than it may, of its interval and at most. */
const JITTER = 0.05;
const MAX_JITTER_MS = 900;

/** Errors of our own that the next poll may not meet again: the response was cut, or came from something in between. */
const PASSING: ReadonlySet<string> = new Set([
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_BODY_NOT_JSON",
  "LOCAL_RATE_LIMIT",
]);

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
    const delay = passingDelay(error);
    if (delay === undefined) return undefined;
    const backoff = Math.min(this.intervalMs * 2 ** Math.min(this.failures++, 16), MAX_BACKOFF_MS);
    return this.jittered(Math.max(delay, this.intervalMs, backoff));
  }

  /** The wait that an interval of another process means. */
  follow(intervalMs: number): void {
    this.intervalMs = boundedInterval(intervalMs);
  }

  private jittered(ms: number): number {
    return ms + Math.floor(fraction(this.clock) * Math.min(ms * JITTER, MAX_JITTER_MS));
  }
}

/** How long to wait after an error that will pass, at least; undefined for other errors. */
function passingDelay(error: unknown): number | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const info = infoOf(error);
  const reason = info?.reason ?? "";
  if (reason === "UPSTREAM_CLOSED") return undefined;
  const delay = retryDelayOf(error);
  const isOwn = Object.hasOwn(ERRORS, reason);
  if (error.code === Code.ResourceExhausted) {
    // our own limits of sizes do not pass
    return isOwn && !PASSING.has(reason) ? undefined : (delay ?? LIMIT_MS);
  }
  const isServerError = Number(info?.metadata.http_status) >= 500;
  const passes = error.code === Code.Unavailable || isServerError || PASSING.has(reason);
  return passes ? (delay ?? 0) : undefined;
}
