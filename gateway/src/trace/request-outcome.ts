import { Code, ConnectError } from "@connectrpc/connect";
import type { RequestEnd } from "connect-rest-runtime";

/**
 * How a request to an upstream ended, in a word: its HTTP status, or why there was none. `canceled` and
 * `deadline_exceeded` are the caller's doing, who left or had no more time;
 * `none` is an upstream that did not respond.
 */
export function outcomeOfRequest({ status, error }: RequestEnd): string {
  if (status !== undefined) return String(status);
  if (!(error instanceof ConnectError)) return "none";
  if (error.code === Code.Canceled) return "canceled";
  return error.code === Code.DeadlineExceeded ? "deadline_exceeded" : "none";
}
