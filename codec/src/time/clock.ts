import { randomBytes } from "node:crypto";

/**
 * Time and chance. Everything in the runtime that needs either takes it from here, so that tests can set it.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment, never going back; for durations. */
  monotonic(): number;
  /** Random bytes as lower-case hex, two digits each. */
  randomHex(bytes: number): string;
  /**
   * Runs `act` once after `ms` milliseconds (at most 2^31-1), unless the returned function is called before.
   */
  after(ms: number, act: () => void): () => void;
}

/** A random number from 0 to 1, without 1. */
export function fraction(clock: Clock): number {
  return Number.parseInt(clock.randomHex(4), 16) / 2 ** 32;
}

/** The longest delay that a Node timer keeps; a longer one would fire at once. */
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
