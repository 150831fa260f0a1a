import { Code, ConnectError } from "@connectrpc/connect";
import { infoOf } from "../errors/rest-error.ts";
import type { ErrorReason } from "../errors/table.ts";

/**
 * What the end of a request says about the upstream: it `works` (also where its response is of no use), it `fails`, it
 * was `late` for the caller's deadline, or `nothing`: a caller who left, credentials that could not be had.
 */
export type Verdict = "works" | "fails" | "late" | "nothing";

const FAILURES: ReadonlySet<string | undefined> = new Set<ErrorReason>([
  "UPSTREAM_UNREACHABLE",
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_RESET",
  "UPSTREAM_TRUNCATED",
  "UPSTREAM_NOT_HTTP",
]);

const RESPONSES: ReadonlySet<string | undefined> = new Set<ErrorReason>([
  "UPSTREAM_HEADERS_TOO_LARGE",
  "UPSTREAM_INTERIM_RESPONSES",
  "UPSTREAM_BODY_TOO_LARGE",
  "UPSTREAM_BODY_ENCODING",
  "UPSTREAM_BODY_NOT_JSON",
  "UPSTREAM_BODY_NOT_EVENTS",
]);

/** Those of 5xx that the rules of a method give no other meaning, such as NOT_FOUND for a 500 with a subcode. */
const SERVER_CODES: readonly Code[] = [
  Code.Unknown,
  Code.Internal,
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.DataLoss,
];

/** The verdict of a request that ended with an error. */
export function verdictOf(error: unknown): Verdict {
  if (!(error instanceof ConnectError)) return "nothing";
  const { reason, metadata } = infoOf(error) ?? {};
  const status = metadata?.http_status;
  if (status !== undefined) {
    return Number(status) >= 500 && SERVER_CODES.includes(error.code) ? "fails" : "works";
  }
  if (FAILURES.has(reason)) return "fails";
  if (RESPONSES.has(reason)) return "works";
  return error.code === Code.DeadlineExceeded ? "late" : "nothing";
}

/** Whether the request never left: there was no connection to send it on. */
export function neverSent(error: ConnectError): boolean {
  return infoOf(error)?.reason === "UPSTREAM_UNREACHABLE";
}

const PASSING: ReadonlySet<string | undefined> = new Set<ErrorReason>([
  "UPSTREAM_UNREACHABLE",
  "UPSTREAM_RESET",
  "UPSTREAM_TRUNCATED",
]);

/**
 * Whether the same request may well succeed a little later: there was no connection or it broke, or the response is
 * UNAVAILABLE, or RESOURCE_EXHAUSTED with a time to wait.
 */
export function willPass(error: ConnectError, toldToWait: boolean): boolean {
  const { reason, metadata } = infoOf(error) ?? {};
  if (metadata?.http_status === undefined) return PASSING.has(reason);
  return error.code === Code.Unavailable || (error.code === Code.ResourceExhausted && toldToWait);
}
