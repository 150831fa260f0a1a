import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";

/** A running deadline. */
export interface Deadline {
  /**
   * Aborted when the time is up or the caller aborts; its reason is the ConnectError that the call ends with.
   */
  readonly signal: AbortSignal;
  /** When the time is up, on the clock's monotonic scale; undefined for never. */
  readonly expiresAt: number | undefined;
  /** Stops the clock. */
  done(): void;
}

/**
 * Starts the deadline of a call.
 *
 * @param method the method's full name, for the text of the error
 * @param timeoutMs how long the call may take, in milliseconds; undefined for no limit of its own
 * @param caller the caller's signal
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

/** A signal of AbortSignal.timeout() is a deadline too, and not a cancelation. */
function errorOf(method: string, reason: unknown): ConnectError {
  if (reason instanceof ConnectError) return reason;
  if (reason instanceof Error && reason.name === "TimeoutError") {
    return restError("DEADLINE_EXCEEDED", { method, limit: "the caller's time limit" }, { cause: reason });
  }
  return restError("CANCELED", { method }, { cause: reason });
}
