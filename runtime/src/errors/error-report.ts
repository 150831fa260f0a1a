import type { Code } from "@connectrpc/connect";
import type { ErrorDetail } from "./rest-error.ts";

/** An upstream's error, as far as its body describes it. */
export interface ErrorReport {
  /** Text for the caller, not yet sanitized. */
  readonly text?: string | undefined;
  /** The upstream's own code, as text: a number other than 0, or a word. */
  readonly subcode?: string | undefined;
  /** The RPC code, from a google.rpc.Status. */
  readonly code?: Code | undefined;
  /** Details: from a google.rpc.Status, and for fields that items name. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** The number of details beyond the maximum. */
  readonly omitted?: number | undefined;
}

export function hasText({ text = "" }: ErrorReport): boolean {
  return text !== "";
}
