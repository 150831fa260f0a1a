import { isLoopbackOrigin } from "connect-rest-runtime/internal";
import { type Config, problemAt } from "./load.ts";
import type { Problem } from "./problems.ts";

/** Returns warnings about network settings that are valid but have no effect. */
export function networkWarnings(config: Config): Problem[] {
  return Object.entries(config.upstreams).flatMap(([name, { baseUrl, bases, proxy, tls }]) => {
    const addresses = [...(baseUrl === undefined ? [] : [baseUrl]), ...Object.values(bases ?? {})];
    const warnings: Problem[] = [];
    const warn = (key: string, text: string) =>
      warnings.push(problemAt(config, ["upstreams", name, key], `has no effect: ${text}`));
    if (typeof proxy === "object" && addresses.every(isLoopbackOrigin)) {
      warn("proxy", "this machine is always reached directly");
    }
    if (tls !== undefined && !addresses.some((address) => /^https:/i.test(address))) {
      warn("tls", "no address of this upstream is https");
    }
    return warnings;
  });
}
