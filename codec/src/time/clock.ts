import { randomBytes } from "node:crypto";

/** Time and randomness. The runtime takes both only from here, so that tests can set them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an arbitrary moment, never decreasing; for durations. */
  monotonic(): number;
  /** Random bytes as lower-case hex, two digits each. */
  randomHex(bytes: number): string;
  /** Runs `act` after `ms` milliseconds (at most 2^31-1), unless the returned function is called first. */
  after(ms: number, act: () => void): () => void;
}

/** Returns a random number from 0, inclusive, to 1, exclusive. */
export function fraction(clock: Clock): number {
  return Number.parseInt(clock.randomHex(4), 16) / 2 ** 32;
}

/** The longest delay of a Node timer; with a longer one it would fire immediately. */
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
