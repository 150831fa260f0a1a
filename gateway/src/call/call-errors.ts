import { Code, ConnectError } from "@connectrpc/connect";
import type { ErrorReason } from "connect-rest-runtime";
import type { Call } from "./call.ts";
import type { Deadline } from "./deadline.ts";
import { gatewayError, withChallenge, withReason } from "./gateway-error.ts";

/** The reason of deadline errors; the runtime uses the same name. */
export const DEADLINE_REASON = "DEADLINE_EXCEEDED" satisfies ErrorReason;

/** Returns the error of a call that exceeded its deadline. */
export function deadlineExceeded(deadline: Deadline): ConnectError {
  // gRPC clients may set timeouts in microseconds
  const text = `no response within ${Math.ceil(deadline.ms)} ms, the deadline set by the ${deadline.setBy}`;
  return gatewayError(DEADLINE_REASON, text, Code.DeadlineExceeded);
}

/** Returns the error of a request whose body stops arriving for too long. */
export function bodyIdle(idleMs: number): ConnectError {
  const text = `nothing more of the request arrived for bodyIdleTimeoutMs, ${idleMs} ms`;
  return gatewayError("REQUEST_STALLED", text, Code.DeadlineExceeded);
}

/**
 * Returns the error of a call whose client disconnected. Only the handler, the log and the metrics receive
 * it. If the client disconnects at its own deadline, the error is DEADLINE_EXCEEDED, because the call took
 * too long. The client's clock started earlier, so a tolerance applies: a tenth of the time or 50 ms,
 * whichever is longer.
 */
export function hungUp({ deadline, startedAt }: Pick<Call, "deadline" | "startedAt">): ConnectError {
  const leftMs = startedAt + deadline.ms - performance.now();
  const isDue = deadline.setBy === "client" && leftMs <= Math.max(50, deadline.ms / 10);
  return isDue ? deadlineExceeded(deadline) : gatewayError("CANCELED", "the client hung up", Code.Canceled);
}

/** Returns the error of a stream that is cut because the gateway shuts down. */
export function drainingError(): ConnectError {
  return gatewayError("SHUTTING_DOWN", "the gateway is shutting down; call again", Code.Unavailable);
}

/**
 * Returns the error of a call that was stopped: the error that its handler threw, which may contain details,
 * or else the error that stopped the call.
 */
export function stoppedWith<E extends Error>(stopped: E, thrown: unknown): E | ConnectError {
  const isPassedOn =
    stopped instanceof ConnectError &&
    thrown instanceof ConnectError &&
    thrown.code === stopped.code &&
    thrown.rawMessage === stopped.rawMessage;
  return isPassedOn ? thrown : stopped;
}

/**
 * Returns the error that a caller receives. Hides the details of a defect, and returns a handler's error
 * unchanged.
 */
export function errorForCaller(
  error: unknown,
  { failedInHandler, challenge }: Pick<Call, "failedInHandler" | "challenge">,
): ConnectError {
  if (error instanceof ConnectError) {
    return withChallenge(failedInHandler ? error : withReason(error), challenge);
  }
  return gatewayError("GATEWAY_FAILED", "internal error", Code.Internal, [], error);
}
