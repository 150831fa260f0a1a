import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";

/** A running deadline. */
export interface Deadline {
  /**
   * Aborted when the deadline passes or the caller aborts. The reason of the signal is the ConnectError that
   * ends the call.
   */
  readonly signal: AbortSignal;
  /** The time of the deadline on the monotonic scale of the clock. Undefined if there is no deadline. */
  readonly expiresAt: number | undefined;
  /** Stops the timer. */
  done(): void;
}

/**
 * Starts the deadline of a call.
 *
 * @param method the full name of the method, for the error message
 * @param timeoutMs the maximum duration of the call in milliseconds; undefined for no limit
 * @param caller the signal of the caller
 */
export function startDeadline(
  method: string,
  timeoutMs: number | undefined,
  caller: AbortSignal | undefined,
  clock: Clock,
): Deadline {
  const controller = new AbortController();
  const onAbort = () => controller.abort(errorOf(method, caller?.reason));
  const expired = () =>
    controller.abort(restError("DEADLINE_EXCEEDED", { method, limit: `${timeoutMs} ms` }));
  const stop =
    timeoutMs === undefined ? undefined : timeoutMs <= 0 ? expired() : clock.after(timeoutMs, expired);
  if (caller?.aborted) {
    onAbort();
  } else {
    caller?.addEventListener("abort", onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    expiresAt: timeoutMs === undefined ? undefined : clock.monotonic() + timeoutMs,
    done: () => {
      stop?.();
      caller?.removeEventListener("abort", onAbort);
    },
  };
}

/** The abort of an AbortSignal.timeout() signal counts as a deadline, not as a cancellation. */
function errorOf(method: string, reason: unknown): ConnectError {
  if (reason instanceof ConnectError) return reason;
  if (reason instanceof Error && reason.name === "TimeoutError") {
    return restError("DEADLINE_EXCEEDED", { method, limit: "the caller's time limit" }, { cause: reason });
  }
  return restError("CANCELED", { method }, { cause: reason });
}
