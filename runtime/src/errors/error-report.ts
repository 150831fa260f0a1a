import type { Code } from "@connectrpc/connect";
import type { ErrorDetail } from "./rest-error.ts";

/** The parts of an upstream's error that its body describes. */
export interface ErrorReport {
  /** The text for the caller, not yet sanitized. */
  readonly text?: string | undefined;
  /** The upstream's error code as a string: a number other than 0, or a word. */
  readonly subcode?: string | undefined;
  /** The RPC code, from a google.rpc.Status. */
  readonly code?: Code | undefined;
  /** The details of a google.rpc.Status, and details about the request fields that items name. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** The number of details that were omitted because there were too many. */
  readonly omitted?: number | undefined;
}

export function hasText({ text = "" }: ErrorReport): boolean {
  return text !== "";
}
