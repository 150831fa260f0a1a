import { Code, ConnectError } from "@connectrpc/connect";
import type { ErrorReason } from "connect-rest-runtime";
import type { Call } from "./call.ts";
import type { Deadline } from "./deadline.ts";
import { gatewayError, withChallenge, withReason } from "./gateway-error.ts";

/** The reason of errors at a deadline, as the runtime names it. */
export const DEADLINE_REASON = "DEADLINE_EXCEEDED" satisfies ErrorReason;

/** The error of a call that outlived its deadline. */
export function deadlineExceeded(deadline: Deadline): ConnectError {
  // a client of gRPC may count in microseconds
  const text = `no response within ${Math.ceil(deadline.ms)} ms, the deadline set by the ${deadline.setBy}`;
  return gatewayError(DEADLINE_REASON, text, Code.DeadlineExceeded);
}

/** The error of a request whose body pauses for too long. */
export function bodyIdle(idleMs: number): ConnectError {
  const text = `nothing more of the request arrived for bodyIdleTimeoutMs, ${idleMs} ms`;
  return gatewayError("REQUEST_STALLED", text, Code.DeadlineExceeded);
}

/**
 * The error of a call whose client is gone; nobody reads it but the handler, the log and the metrics. A
 * client that leaves at the deadline that it has set has not lost interest: its call took too long. Its clock
 * began before ours, and the network takes its time, so that a tenth of the time, or 50 ms, may be missing.
 */
export function hungUp({ deadline, startedAt }: Pick<Call, "deadline" | "startedAt">): ConnectError {
  const leftMs = startedAt + deadline.ms - performance.now();
  const isDue = deadline.setBy === "client" && leftMs <= Math.max(50, deadline.ms / 10);
  return isDue ? deadlineExceeded(deadline) : gatewayError("CANCELED", "the client hung up", Code.Canceled);
}

/** The error of a stream that is cut because the gateway goes down. */
export function drainingError(): ConnectError {
  return gatewayError("SHUTTING_DOWN", "the gateway is shutting down; call again", Code.Unavailable);
}

/**
 * What a call ends with that was stopped: the error it was stopped with, as its handler passed it on, if it
 * did, since that may have added details to it.
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
 * What a caller gets to know of an error: of a defect only that there is one.
 * Errors of handlers stay as they are.
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
