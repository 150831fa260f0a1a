import type { ServiceAdapter } from "connect-rest-runtime";
import { methodPath } from "../call/method-path.ts";
import { withDefaultLimits } from "../limits.ts";
import { type Config, problemAt } from "./load.ts";
import type { Problem } from "./problems.ts";

const MAX_PLACE = ["server", "limits", "maxDeadlineMs"] as const;
const DEFAULTS = ["unaryDeadlineMs", "streamDeadlineMs"] as const;

/** Returns warnings about default and method deadlines that exceed the gateway's maximum. */
export function deadlineWarnings(config: Config, adapters: readonly ServiceAdapter[]): Problem[] {
  const limits = withDefaultLimits(config.server.limits);
  const max = limits.maxDeadlineMs;
  const methods = adapters
    .flatMap(({ methods }) => Object.values(methods))
    .flatMap(({ method, rules: { timeoutMs = 0 } }) => {
      const text = `${methodPath(method)} has a timeout of ${timeoutMs} ms, which maxDeadlineMs cuts to ${max} ms`;
      return timeoutMs > max ? [problemAt(config, MAX_PLACE, text)] : [];
    });
  const defaults = DEFAULTS.filter((name) => limits[name] > max).map((name) => {
    const text = `${name} is ${limits[name]} ms, which maxDeadlineMs cuts to ${max} ms`;
    return problemAt(config, MAX_PLACE, text);
  });
  return [...defaults, ...methods];
}
