import { Code, ConnectError } from "@connectrpc/connect";
import { infoOf } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { ERRORS } from "../errors/table.ts";

/** The maximum wait after failures, in milliseconds. The upstream may request a longer wait. */
export const MAX_BACKOFF_MS = 15 * 60_000;
/** The wait after a rate limit error that does not state when the limit ends, in milliseconds. */
const LIMIT_MS = 60_000;

/**
 * Reasons of local errors that may not recur at the next poll, because the response was cut off or came from
 * an intermediary.
 */
const PASSING: ReadonlySet<string> = new Set([
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_BODY_NOT_JSON",
  "LOCAL_RATE_LIMIT",
]);

/** A failed poll. */
export interface PollFailure {
  readonly error: unknown;
  /** The interval between polls, in milliseconds. */
  readonly intervalMs: number;
  /** The number of consecutive failed polls before this one. */
  readonly failures: number;
}

/**
 * Returns the wait before a failed feed is polled again, in milliseconds: at least as long as the upstream
 * requests, and twice as long after each failure.
 *
 * @returns undefined if polling again cannot help
 */
export function waitAfterFailure({ error, intervalMs, failures }: PollFailure): number | undefined {
  const delay = passingDelay(error);
  if (delay === undefined) return undefined;
  const backoff = Math.min(intervalMs * 2 ** Math.min(failures, 16), MAX_BACKOFF_MS);
  return Math.max(delay, intervalMs, backoff);
}

/** Returns the minimum wait after a temporary error, or undefined for a permanent error. */
function passingDelay(error: unknown): number | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const info = infoOf(error);
  const reason = info?.reason ?? "";
  if (reason === "UPSTREAM_CLOSED") return undefined;
  const delay = retryDelayOf(error);
  const isOwn = Object.hasOwn(ERRORS, reason);
  if (error.code === Code.ResourceExhausted) {
    // local size limits are permanent errors
    return isOwn && !PASSING.has(reason) ? undefined : (delay ?? LIMIT_MS);
  }
  const isServerError = Number(info?.metadata.http_status) >= 500;
  const passes = error.code === Code.Unavailable || isServerError || PASSING.has(reason);
  return passes ? (delay ?? 0) : undefined;
}
