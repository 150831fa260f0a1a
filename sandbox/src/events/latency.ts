import { chance } from "./chance.ts";

/** The minimum and maximum latency that the feed documents, in seconds: 30 seconds to 6 hours. */
export const LEAST_LATENCY = 30;
export const MOST_LATENCY = 6 * 3600;

/**
 * The number of seconds from the creation of an event until the feed shows it. It is constant, or random in a
 * range. `daily` is 30 seconds at midnight (UTC, by the time of the feed), rises to 6 hours at noon and falls
 * again.
 */
export type Latency = number | readonly [from: number, to: number] | "daily";

const DAY = 86_400;

function daily(created: number): number {
  const share = (1 - Math.cos((2 * Math.PI * (created % DAY)) / DAY)) / 2;
  return LEAST_LATENCY * (MOST_LATENCY / LEAST_LATENCY) ** share;
}

/**
 * Returns the latency, in whole seconds, of an event with this creation time. If `latency` is a range,
 * `words` seed the random choice within it.
 */
export function latencyOf(latency: Latency, created: number, ...words: readonly (string | number)[]): number {
  if (latency === "daily") return Math.round(daily(created));
  if (typeof latency === "number") return Math.round(latency);
  const [from, to] = latency;
  return Math.round(from + chance(...words) * (to - from));
}
