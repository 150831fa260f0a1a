import { Code, ConnectError } from "@connectrpc/connect";
import type { RequestEnd } from "connect-rest-runtime";

/**
 * Returns the outcome of an upstream request as a word: its HTTP status, or the reason why it has no status.
 * `canceled` means that the caller disconnected, `deadline_exceeded` that the caller's deadline passed, and
 * `none` that the upstream did not respond.
 */
export function outcomeOfRequest({ status, error }: RequestEnd): string {
  if (status !== undefined) return String(status);
  if (!(error instanceof ConnectError)) return "none";
  if (error.code === Code.Canceled) return "canceled";
  return error.code === Code.DeadlineExceeded ? "deadline_exceeded" : "none";
}
