import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import { reasonOf, withMetadata } from "../errors/rest-error.ts";
import { sleep } from "../time/abort.ts";
import type { Retrier } from "./retrier.ts";
import type { WaitAllowance } from "./wait-allowance.ts";

/** What decides about retries of one request. */
export interface RetryContext {
  /** undefined if the request must not be retried. */
  readonly retrier: Retrier | undefined;
  readonly idempotent: boolean;
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** When the deadline passes, on the clock's monotonic scale; undefined for none. */
  readonly expiresAt: number | undefined;
  /** What all retries of the call may still wait. */
  readonly allowance: WaitAllowance;
  /** Aborted when the upstream closes and nothing more may be sent. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
}

/**
 * Sends a request until it succeeds or must not be retried. All attempts share the deadline of the call.
 *
 * @throws what the last attempt threw; its ErrorInfo says how many `attempts` there were, if more than one.
 *   Rejects with the signal's reason when that is aborted
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

/** Whether an attempt was not even made; the error of the one before is more useful then. */
function wasRejectedLocally(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  const reason = reasonOf(error);
  return reason === "UPSTREAM_CIRCUIT_OPEN" || reason === "LOCAL_RATE_LIMIT" || reason === "UPSTREAM_CLOSED";
}

/** Waits; false if the upstream is closed in the meantime. */
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
