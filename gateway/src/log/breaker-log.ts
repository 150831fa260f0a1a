import type { BreakerReport } from "connect-rest";
import type { Logger } from "./logger.ts";

/** Logs a change of a breaker: a warning when its upstream begins to be left alone. */
export function logBreaker(log: Logger, { upstream, origin, state, cooldownMs }: BreakerReport): void {
  const line = { upstream, origin, state, ...(cooldownMs === undefined ? {} : { cooldownMs }) };
  if (state === "open") log.warn(line, "breaker");
  else log.info(line, "breaker");
}
