import { Code } from "@connectrpc/connect";
import { RetryInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { gatewayError } from "../call/gateway-error.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";

/** Returns UNAVAILABLE, or RESOURCE_EXHAUSTED if the caller exceeds its own share, with a retry delay. */
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

/** Returns a retry delay as an error detail, limited to between 0.1 and 30 seconds. */
export function retryInfo(retryMs: number) {
  const ms = Math.ceil(Math.min(Math.max(retryMs, 100), 30_000));
  const retryDelay = { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 };
  return { desc: RetryInfoSchema, value: { retryDelay } };
}
