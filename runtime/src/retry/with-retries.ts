import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import { reasonOf, withMetadata } from "../errors/rest-error.ts";
import { sleep } from "../time/abort.ts";
import type { Retrier } from "./retrier.ts";
import type { WaitAllowance } from "./wait-allowance.ts";

/** The context in which one request may be retried. */
export interface RetryContext {
  /** Undefined if the request must not be retried. */
  readonly retrier: Retrier | undefined;
  readonly idempotent: boolean;
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** The time of the deadline, on the clock's monotonic scale. Undefined if there is no deadline. */
  readonly expiresAt: number | undefined;
  /** The remaining time for which all retries of the call may wait. */
  readonly allowance: WaitAllowance;
  /** Aborted when the upstream closes, so that no more requests may be sent. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
}

/**
 * Sends a request until it succeeds or must not be retried. All attempts share the deadline of the call.
 *
 * @throws the error of the last attempt, whose ErrorInfo states the number of `attempts` if there were
 *   several; the reason of the signal if it is aborted
 */
export async function withRetries<T>(send: () => Promise<T>, context: RetryContext): Promise<T> {
  const { retrier, idempotent, expiresAt, allowance } = context;
  let last: unknown;
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await send();
      retrier?.succeeded();
      return result;
    } catch (error) {
      if (attempts > 1 && wasRejectedLocally(error)) throw counted(last, attempts - 1);
      const delay = retrier?.delay({ error, attempts, idempotent, expiresAt, allowance });
      if (delay === undefined || !(await waited(delay, context))) throw counted(error, attempts);
      last = error;
    }
  }
}

/**
 * Reports whether an attempt failed before its request was sent. The error of the previous attempt is then
 * more useful.
 */
function wasRejectedLocally(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  const reason = reasonOf(error);
  return reason === "UPSTREAM_CIRCUIT_OPEN" || reason === "LOCAL_RATE_LIMIT" || reason === "UPSTREAM_CLOSED";
}

/** Waits. Resolves to false if the upstream is closed during the wait. */
async function waited(ms: number, { signal, closing, clock }: RetryContext): Promise<boolean> {
  try {
    await sleep(ms, clock, AbortSignal.any([signal, closing]));
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

function counted(error: unknown, attempts: number): unknown {
  if (attempts === 1 || !(error instanceof ConnectError)) return error;
  return withMetadata(error, { attempts: String(attempts) });
}
