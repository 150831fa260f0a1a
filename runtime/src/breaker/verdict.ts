import { Code, ConnectError } from "@connectrpc/connect";
import { infoOf } from "../errors/rest-error.ts";
import type { ErrorReason } from "../errors/table.ts";

/**
 * The evidence that the outcome of a request provides about the upstream. `works`: it responded, even if the
 * response is useless. `unreachable`: name resolution, the connection or TLS failed, so that no byte of the
 * request was sent. `late`: the deadline of the caller passed. `fails`: it failed in another way. `nothing`:
 * no evidence, e.g. because the caller aborted, credentials were unavailable, or this machine cannot open
 * more connections.
 */
export type Verdict = "works" | "unreachable" | "fails" | "late" | "nothing";

const FAILURES: ReadonlySet<string | undefined> = new Set<ErrorReason>([
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_RESET",
  "UPSTREAM_FAILED",
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

/**
 * The codes of 5xx statuses. A rule of the method may assign another code, e.g. NOT_FOUND for a 500 with a
 * subcode.
 */
const SERVER_CODES: readonly Code[] = [
  Code.Unknown,
  Code.Internal,
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.DataLoss,
];

/** The errors of a machine or process that has no file descriptor, port or memory left for a connection. */
const EXHAUSTED = /^(?:EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM)$/;

/** The maximum length of a chain of causes. */
const MAX_CAUSES = 5;

/** Reports whether a connection failed for lack of local resources, which says nothing about the peer. */
function isOwnWant(error: ConnectError): boolean {
  let cause: unknown = error.cause;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    if ("code" in cause && typeof cause.code === "string" && EXHAUSTED.test(cause.code)) return true;
    // an AggregateError contains one error for each address that was tried
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
  return false;
}

/** Timeouts during connection setup. They have the same reason as all timeouts. */
const CONNECTING = new WeakSet<ConnectError>();

/** Marks an error as a timeout during connection setup, and returns the error. */
export function whileConnecting(error: ConnectError): ConnectError {
  CONNECTING.add(error);
  return error;
}

/** Returns the verdict on a request that ended with an error. */
export function verdictOf(error: unknown): Verdict {
  if (!(error instanceof ConnectError)) return "nothing";
  const { reason, metadata } = infoOf(error) ?? {};
  const status = metadata?.http_status;
  if (status !== undefined) {
    return Number(status) >= 500 && SERVER_CODES.includes(error.code) ? "fails" : "works";
  }
  if (reason === "UPSTREAM_UNREACHABLE" || CONNECTING.has(error)) {
    return isOwnWant(error) ? "nothing" : "unreachable";
  }
  if (FAILURES.has(reason)) return isOwnWant(error) ? "nothing" : "fails";
  if (RESPONSES.has(reason)) return "works";
  return error.code === Code.DeadlineExceeded ? "late" : "nothing";
}

/** Reports whether the request was not sent because no connection could be established. */
export function neverSent(error: ConnectError): boolean {
  return infoOf(error)?.reason === "UPSTREAM_UNREACHABLE";
}

const TRANSIENT: ReadonlySet<string | undefined> = new Set<ErrorReason>([
  "UPSTREAM_UNREACHABLE",
  "UPSTREAM_RESET",
  "UPSTREAM_FAILED",
  "UPSTREAM_TRUNCATED",
]);

/**
 * Reports whether a failure is transient: no connection was established, the connection broke, or the
 * response means UNAVAILABLE, or RESOURCE_EXHAUSTED with a retry delay.
 */
export function isTransient(error: ConnectError, hasRetryDelay: boolean): boolean {
  const { reason, metadata } = infoOf(error) ?? {};
  if (metadata?.http_status === undefined) return TRANSIENT.has(reason);
  return error.code === Code.Unavailable || (error.code === Code.ResourceExhausted && hasRetryDelay);
}
