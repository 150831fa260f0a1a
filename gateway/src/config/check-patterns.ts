import type { ServiceAdapter } from "connect-rest-runtime";
import { didYouMean } from "connect-rest-runtime/internal";
import { fits } from "../authorization/scopes.ts";
import { methodPath } from "../call/method-path.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";

type Method = Parameters<typeof fits>[0];

/** The methods that a pattern can name, and the names to suggest in place of an unknown name. */
export interface Nameable {
  readonly methods: readonly Method[];
  readonly names: readonly string[];
}

/** Returns a problem for each pattern in a list of the configuration that matches no method. */
export function unmatchedPatterns(
  config: Config,
  place: readonly string[],
  patterns: readonly string[],
  { methods, names }: Nameable,
): Problem[] {
  return patterns.flatMap((pattern, index) => {
    if (methods.some((method) => fits(method, pattern))) return [];
    const text = `no method that is served has this name.${didYouMean(pattern, names)}`;
    return [problemAt(config, [...place, index], text)];
  });
}

/** Returns the methods of adapters, and their names. */
export function nameable(adapters: readonly ServiceAdapter[]): Nameable {
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods).map(({ method }) => method));
  return { methods, names: [...adapters.map(({ service }) => service.typeName), ...methods.map(methodPath)] };
}

/**
 * Checks that each pattern of `mcp` and `record` matches a method.
 *
 * @throws ConfigError naming each pattern without effect
 */
export function checkPatterns(config: Config, adapters: readonly ServiceAdapter[]): void {
  if (adapters.length === 0) return;
  const known = nameable(adapters);
  const { methods = [], exclude = [], listed = [] } = config.mcp ?? {};
  const lists = { methods, exclude, listed };
  const problems = [
    ...Object.entries(lists).flatMap(([name, list]) => unmatchedPatterns(config, ["mcp", name], list, known)),
    ...unmatchedPatterns(config, ["record", "methods"], config.record?.methods ?? [], known),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}
