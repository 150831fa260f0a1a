import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Call } from "./call.ts";
import { codeOf } from "./gateway-error.ts";

/** The outcome of a call. */
export interface Outcome {
  /** `ok`, a code in lower case, or `http_<status>` for a call that was rejected before it began. */
  readonly code: string;
  /** The error of the call; undefined on success. */
  readonly reason: unknown;
}

/**
 * Returns the outcome of a call. `defect` is an error that the gateway caused outside of the call's handler.
 */
export function outcomeOf(call: Call, httpStatus: number, defect?: unknown): Outcome {
  const reason = defect ?? reasonOf(call);
  return { code: defect === undefined ? codeText(reason, call, httpStatus) : "internal", reason };
}

/**
 * Returns the reason why the call ended. connect aborts the signal with the error or, after a success,
 * without a reason, even if messages are still unsent.
 */
function reasonOf(call: Call): unknown {
  const reason: unknown = call.signal?.reason;
  return reason instanceof Error && reason.name === "AbortError" ? call.endError : reason;
}

function codeText(reason: unknown, call: Call, httpStatus: number): string {
  if (reason instanceof ConnectError) return codeToString(codeOf(reason));
  if (reason !== undefined) return codeToString(Code.Internal);
  return call.signal === undefined ? `http_${call.rejectedStatus ?? httpStatus}` : "ok";
}
