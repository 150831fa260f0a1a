import { ConnectError } from "@connectrpc/connect";
import { reasonOf, withMetadata } from "../errors/rest-error.ts";
import { sleep } from "../time/abort.ts";
import type { Clock } from "../time/clock.ts";
import type { Retrier } from "./retrier.ts";

/** How a request may be sent again. */
export interface RetryContext {
  /** undefined for never. */
  readonly retrier: Retrier | undefined;
  readonly idempotent: boolean;
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** When the deadline passes, on the clock's monotonic scale; undefined for none. */
  readonly expiresAt: number | undefined;
  /** Aborted when nothing further is to be sent. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
}

/**
 * Sends a request until it succeeds or is not worth another attempt. All attempts share the deadline of the call.
 *
 * @throws what the last attempt threw; its ErrorInfo says how many `attempts` there were, if more than one. Rejects
 *   with the signal's reason when that is aborted
 */
export async function withRetries<T>(send: () => Promise<T>, context: RetryContext): Promise<T> {
  const { retrier, idempotent, expiresAt } = context;
  let last: unknown;
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await send();
      retrier?.succeeded();
      return result;
    } catch (error) {
      if (attempts > 1 && neverLeft(error)) throw counted(last, attempts - 1);
      const delay = retrier?.delay({ error, attempts, idempotent, expiresAt });
      if (delay === undefined || !(await waited(delay, context))) throw counted(error, attempts);
      last = error;
    }
  }
}

/** Another attempt that was not made: what the one before threw says more. */
function neverLeft(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  const reason = reasonOf(error);
  return reason === "UPSTREAM_CIRCUIT_OPEN" || reason === "LOCAL_RATE_LIMIT" || reason === "UPSTREAM_CLOSED";
}

/** Whether the time has passed; false when the upstream is closed before. */
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
