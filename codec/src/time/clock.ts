import { randomBytes } from "node:crypto";

/** A source of time and randomness. The runtime takes both only from a clock, so that tests can set them. */
export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Returns the milliseconds since an arbitrary moment. The value never decreases; for durations. */
  monotonic(): number;
  /** Returns random bytes as lower-case hex, two digits each. */
  randomHex(bytes: number): string;
  /** Runs `act` after `ms` milliseconds (at most 2^31-1), unless the returned function is called first. */
  after(ms: number, act: () => void): () => void;
}

/** Returns a random number from 0, inclusive, to 1, exclusive. */
export function fraction(clock: Clock): number {
  return Number.parseInt(clock.randomHex(4), 16) / 2 ** 32;
}

/** The maximum delay of a Node timer. A timer with a longer delay fires immediately. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  randomHex: (bytes) => randomBytes(bytes).toString("hex"),
  after: (ms, act) => {
    const timer = setTimeout(act, Math.min(ms, MAX_DELAY_MS));
    return () => clearTimeout(timer);
  },
};
