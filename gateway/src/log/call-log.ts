import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import type { Call } from "../call/call.ts";
import { methodPath } from "../call/method-path.ts";
import type { Outcome } from "../call/outcome.ts";
import type { Logger } from "./logger.ts";

/** Writes the log line of a call. */
export function logCall(log: Logger, call: Call, { code, reason }: Outcome): void {
  const { traceId } = call.trace;
  const line = {
    method: methodPath(call.method),
    protocol: call.protocol,
    code,
    durationMs: Math.round((performance.now() - call.startedAt) * 10) / 10,
    bytesIn: call.bytesIn,
    bytesOut: call.bytesOut,
    ...(call.upstreamStatus === undefined ? {} : { upstreamStatus: call.upstreamStatus }),
    ...requestsOf(call),
    requestId: call.requestId,
    ...(traceId === undefined ? {} : { traceId }),
    client: call.client,
    ...(call.subject === undefined ? {} : { clientId: call.subject.clientId }),
  };
  const cause = causeOf(reason);
  if (cause === undefined || isUpstreamResponse(reason)) {
    log.info(line, "call");
  } else {
    log.error({ ...line, cause }, "call");
  }
}

/**
 * Returns the number of attempts, and the number of requests if there are more requests than attempts. Each
 * page is a separate request.
 */
function requestsOf({ requests, retries }: Call): { readonly attempts?: number; readonly requests?: number } {
  if (requests === 0) return {};
  const attempts = retries + 1;
  return requests === attempts ? { attempts } : { attempts, requests };
}

/** Returns the stack of a defect, which is an error that no handler intended for its caller. */
function causeOf(reason: unknown): string | undefined {
  if (reason === undefined) return undefined;
  if (!(reason instanceof ConnectError)) return stackOf(reason);
  if (reason.code !== Code.Internal && reason.code !== Code.Unknown) return undefined;
  return reason.cause instanceof Error ? stackOf(reason.cause) : undefined;
}

/**
 * Returns whether an error is an upstream's error response. Such an error is not a defect, and its message is
 * only for the caller.
 */
function isUpstreamResponse(reason: unknown): boolean {
  if (!(reason instanceof ConnectError)) return false;
  return reason.findDetails(ErrorInfoSchema)[0]?.metadata.http_status !== undefined;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
