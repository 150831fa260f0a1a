import type { HeaderReader } from "../errors/retry-info.ts";

/** The shortest and longest wait that an upstream can ask for. */
const MIN_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 24 * 3600 * 1_000;

/**
 * How long an upstream asks to wait until the next poll, in milliseconds; undefined where it does not say.
 *
 * @param name the header that has the number of seconds, in lower case
 */
export function askedInterval(header: HeaderReader, name: string | undefined): number | undefined {
  const text = name === undefined ? "" : (header(name) ?? "");
  // a header that stands there twice is one list
  const asked = text.split(",").map((each) => each.trim());
  const seconds = asked.filter((each) => /^\d+(\.\d+)?$/.test(each)).map(Number);
  return seconds.length > 0 ? boundedInterval(Math.max(...seconds) * 1_000) : undefined;
}

/** An interval that is neither too short nor too long. */
export function boundedInterval(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, MIN_INTERVAL_MS), MAX_INTERVAL_MS);
}
