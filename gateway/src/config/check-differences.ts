import type { ServiceAdapter } from "connect-rest-runtime";
import { idleLevels } from "connect-rest-runtime/internal";
import { type Config, problemAt } from "./load.ts";
import { ConfigError } from "./problems.ts";

/**
 * Checks that each setting of `differences` and `strict` applies to an adapter.
 *
 * @throws ConfigError naming each setting without effect
 */
export function checkDifferences(config: Config, adapters: readonly ServiceAdapter[]): void {
  if (adapters.length === 0) return;
  const { differences, strict } = config;
  const idle = idleLevels({ adapters, differences, strict });
  if (idle.length === 0) return;
  throw new ConfigError(
    idle.map(({ path, expected, got }) => problemAt(config, path, `expected ${expected}, got ${got}`)),
  );
}
