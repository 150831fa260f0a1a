import { Code, type ConnectError } from "@connectrpc/connect";
import type { ErrorReason } from "connect-rest";
import type { Deadline } from "./deadline.ts";
import { gatewayError } from "./gateway-error.ts";

/** The reason of errors at a deadline, as the runtime names it. */
export const DEADLINE_REASON = "DEADLINE_EXCEEDED" satisfies ErrorReason;

/** The error of a call that outlived its deadline. */
export function deadlineExceeded(deadline: Deadline): ConnectError {
  const text = `no response within ${deadline.ms} ms, the deadline set by the ${deadline.setBy}`;
  return gatewayError(DEADLINE_REASON, text, Code.DeadlineExceeded);
}

/** The error of a request whose body pauses for too long. */
export function bodyIdle(idleMs: number): ConnectError {
  const text = `nothing more of the request arrived for bodyIdleTimeoutMs, ${idleMs} ms`;
  return gatewayError("REQUEST_STALLED", text, Code.DeadlineExceeded);
}

/** The error of a call whose client is gone; nobody reads it but the handler and the log. */
export function hungUp(): ConnectError {
  return gatewayError("CANCELED", "the client hung up", Code.Canceled);
}

/** The error of a stream that is cut because the gateway goes down. */
export function drainingError(): ConnectError {
  return gatewayError("SHUTTING_DOWN", "the gateway is shutting down; call again", Code.Unavailable);
}
