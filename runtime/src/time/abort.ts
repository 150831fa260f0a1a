import { type Clock, MAX_DELAY_MS } from "connect-rest-codec/internal";

/**
 * Settles as the promise does, but rejects with the reason of the signal as soon as the signal is aborted. A
 * callback that ignores its signal thus cannot delay the call.
 */
export function raced<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Waits. Rejects with the reason of the signal as soon as the signal is aborted. */
export function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      stop();
      reject(signal.reason);
    };
    const stop = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Waits until a time on the clock's monotonic scale, even a distant one. Rejects with the reason of the
 * signal as soon as the signal is aborted.
 *
 * @param at called again when the time has come, since the time may have been postponed
 */
export async function sleepUntil(at: () => number, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let left = at() - clock.monotonic(); left > 0; left = at() - clock.monotonic()) {
    await sleep(Math.min(left, MAX_DELAY_MS), clock, signal);
  }
}

/** The time limit for some work, and other signals that end the work. */
interface Bounds {
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Creates the abort reason for work that exceeds its time limit. */
  readonly late: () => Error;
}

/**
 * Does work with a signal that is aborted when the time limit is reached, or when another signal is aborted.
 */
export async function within<T>(
  { ms, clock, signal, late }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const expired = new AbortController();
  const stop = clock.after(ms, () => expired.abort(late()));
  try {
    return await work(signal === undefined ? expired.signal : AbortSignal.any([signal, expired.signal]));
  } finally {
    stop();
  }
}
