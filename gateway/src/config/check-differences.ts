import type { ServiceAdapter } from "connect-rest-runtime";
import { didYouMean, matchesMethod } from "connect-rest-runtime/internal";
import { methodPath } from "../call/method-path.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError } from "./problems.ts";

/**
 * Checks that every name in `differences.methods` is that of a method that an adapter has. Without adapters
 * there is nothing to compare with.
 *
 * @throws ConfigError naming each that is not
 */
export function checkDifferences(config: Config, adapters: readonly ServiceAdapter[]): void {
  if (adapters.length === 0) return;
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods).map(({ method }) => method));
  const names = [...adapters.map(({ service }) => service.typeName), ...methods.map(methodPath)];
  const unknown = Object.keys(config.differences?.methods ?? {}).filter(
    (pattern) => !methods.some((method) => matchesMethod(pattern, method)),
  );
  if (unknown.length === 0) return;
  throw new ConfigError(
    unknown.map((name) => {
      const text = `no adapter has a method of this name.${didYouMean(name, names)}`;
      return problemAt(config, ["differences", "methods", name], text);
    }),
  );
}
