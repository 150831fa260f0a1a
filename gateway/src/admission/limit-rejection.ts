import { Code } from "@connectrpc/connect";
import { RetryInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { gatewayError } from "../call/gateway-error.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";

/** UNAVAILABLE, or RESOURCE_EXHAUSTED where it is the caller's own share, with when to call again. */
export function limitRejection(
  limit: LimitRejection["limit"],
  text: string,
  retryMs: number,
): LimitRejection {
  const isOfClient = limit === "callsPerClient" || limit === "watchersPerClient";
  const code = isOfClient ? Code.ResourceExhausted : Code.Unavailable;
  const reason = isOfClient ? "CALLS_EXCEEDED" : "OVERLOADED";
  return { limit, error: gatewayError(reason, `${text}; try again later`, code, [retryInfo(retryMs)]) };
}

/**
 * When to call again, as a detail of an error: in a tenth of a second at the earliest,
 * in half a minute at the latest.
 */
export function retryInfo(retryMs: number) {
  const ms = Math.ceil(Math.min(Math.max(retryMs, 100), 30_000));
  const retryDelay = { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 };
  return { desc: RetryInfoSchema, value: { retryDelay } };
}
