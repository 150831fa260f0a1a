import type { Code } from "@connectrpc/connect";
import type { ErrorDetail } from "./rest-error.ts";

/** What an upstream says about an error, as far as its body tells. */
export interface ErrorReport {
  /** Text for the caller, not yet made safe. */
  readonly text?: string | undefined;
  /** The upstream's own code, as text: a number other than 0, or a word. */
  readonly subcode?: string | undefined;
  /** The RPC code, from a google.rpc.Status. */
  readonly code?: Code | undefined;
  /** Details: of a google.rpc.Status, and the fields that items name. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** How many details were left out because there were too many. */
  readonly omitted?: number | undefined;
}

export function hasText({ text = "" }: ErrorReport): boolean {
  return text !== "";
}
