import { Code, ConnectError } from "@connectrpc/connect";
import { infoOf } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { ERRORS } from "../errors/table.ts";

/** The longest wait after failures, unless the upstream asks for more. */
export const MAX_BACKOFF_MS = 15 * 60_000;
/** The wait after a limit that does not say when it ends. */
const LIMIT_MS = 60_000;

/**
 * Errors of our own that the next poll may not meet again: the response was cut, or came from something in
 * between.
 */
const PASSING: ReadonlySet<string> = new Set([
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_BODY_NOT_JSON",
  "LOCAL_RATE_LIMIT",
]);

/** A failed poll. */
export interface PollFailure {
  readonly error: unknown;
  /** How far polls are apart, in milliseconds. */
  readonly intervalMs: number;
  /** How many polls before this one have failed in a row. */
  readonly failures: number;
}

/**
 * How long to wait until a feed is polled again that could not be read, in milliseconds: as long as the
 * upstream asks for, and each time twice as long as the time before.
 *
 * @returns undefined where polling again makes no sense
 */
export function waitAfterFailure({ error, intervalMs, failures }: PollFailure): number | undefined {
  const delay = passingDelay(error);
  if (delay === undefined) return undefined;
  const backoff = Math.min(intervalMs * 2 ** Math.min(failures, 16), MAX_BACKOFF_MS);
  return Math.max(delay, intervalMs, backoff);
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
