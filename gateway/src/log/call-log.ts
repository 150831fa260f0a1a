import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import type { Call } from "../protocol/call.ts";
import type { Logger } from "./logger.ts";

/** Writes the one line of a call. `defect` is an error outside the call's handler: ours, not the caller's. */
export function logCall(log: Logger, call: Call, httpStatus: number, defect?: unknown): void {
  const reason = defect ?? outcome(call);
  const code = defect === undefined ? codeOf(reason, call, httpStatus) : "internal";
  const line = {
    method: `${call.method.parent.typeName}/${call.method.name}`,
    protocol: call.protocol,
    code,
    durationMs: Math.round((performance.now() - call.startedAt) * 10) / 10,
    bytesIn: call.bytesIn,
    bytesOut: call.bytesOut,
    ...(call.upstreamStatus === undefined ? {} : { upstreamStatus: call.upstreamStatus }),
    requestId: call.requestId,
    client: call.client,
  };
  const cause = causeOf(reason);
  if (cause === undefined || isUpstreamAnswer(reason)) log.info(line, "call");
  else log.error({ ...line, cause }, "call");
}

/** What ended the call: connect aborts its signal with the error, and without a reason when all is well. */
function outcome(call: Call): unknown {
  const reason: unknown = call.signal?.reason;
  return reason instanceof Error && reason.name === "AbortError" ? undefined : reason;
}

function codeOf(reason: unknown, call: Call, httpStatus: number): string {
  if (reason instanceof ConnectError) return codeToString(reason.code);
  if (reason !== undefined) return codeToString(Code.Internal);
  return call.signal === undefined ? `http_${httpStatus}` : "ok";
}

/** The stack of a defect: an error that no handler meant for its caller. */
function causeOf(reason: unknown): string | undefined {
  if (reason === undefined) return undefined;
  if (!(reason instanceof ConnectError)) return stackOf(reason);
  if (reason.code !== Code.Internal && reason.code !== Code.Unknown) return undefined;
  return reason.cause instanceof Error ? stackOf(reason.cause) : undefined;
}

/** What an upstream answered is no defect, and its text, which would be the cause, is its caller's alone. */
function isUpstreamAnswer(reason: unknown): boolean {
  if (!(reason instanceof ConnectError)) return false;
  return reason.findDetails(ErrorInfoSchema)[0]?.metadata.http_status !== undefined;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
