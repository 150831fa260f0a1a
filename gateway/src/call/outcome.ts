import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Call } from "./call.ts";
import { codeOf } from "./gateway-error.ts";

/** How a call ended. */
export interface Outcome {
  /** `ok`, a code in lower case, or `http_<status>` for a call that was rejected before it began. */
  readonly code: string;
  /** What it ended with; undefined when all went well. */
  readonly reason: unknown;
}

/** How a call ended. `defect` is an error outside the call's handler: ours, not the caller's. */
export function outcomeOf(call: Call, httpStatus: number, defect?: unknown): Outcome {
  const reason = defect ?? reasonOf(call);
  return { code: defect === undefined ? codeText(reason, call, httpStatus) : "internal", reason };
}

/**
 * What ended the call: connect aborts its signal with the error, and without a reason when all is well, which
 * it is not yet for messages that are still to be written.
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
