import type { ServiceAdapter } from "connect-rest-runtime";
import { didYouMean } from "connect-rest-runtime/internal";
import { methodPath } from "../call/method-path.ts";
import { type Config, problemAt } from "./load.ts";
import type { Problem } from "./problems.ts";

/**
 * The maximum number of unknown names that are compared with all known names. If there are more, they
 * probably have one common cause.
 */
const MAX_HINTS = 100;

/**
 * Returns the adapters, reduced to their served methods: the methods in `routes.include`, if set, without the
 * methods in `routes.exclude`. Adds a problem for each unknown name.
 */
export function selectRoutes(
  adapters: readonly ServiceAdapter[],
  config: Config,
  problems: Problem[],
): ServiceAdapter[] {
  const { include, exclude } = config.routes;
  const known = adapters.flatMap(namesOf);
  const names = new Set(known);
  for (const [list, named] of Object.entries({ include, exclude })) {
    for (const [index, name] of (named ?? []).entries()) {
      if (names.has(name)) continue;
      const what = name.includes("/") ? "method" : "service";
      const hint = index < MAX_HINTS ? didYouMean(name, known) : "";
      const text = `no adapter has the ${what} ${name}.${hint}`;
      problems.push(problemAt(config, ["routes", list, index], text));
    }
  }
  const [included, excluded] = [include && new Set(include), new Set(exclude)];
  const isServed = (service: string, method: string) => {
    const isIn = (list: ReadonlySet<string>) => list.has(service) || list.has(method);
    return (included === undefined || isIn(included)) && !isIn(excluded);
  };
  return adapters.flatMap((adapter) => withMethods(adapter, isServed));
}

function withMethods(
  adapter: ServiceAdapter,
  isServed: (service: string, method: string) => boolean,
): ServiceAdapter[] {
  const entries = Object.entries(adapter.methods);
  const served = entries.filter(([, { method }]) => isServed(adapter.service.typeName, methodPath(method)));
  if (served.length === 0) return [];
  return [served.length === entries.length ? adapter : { ...adapter, methods: Object.fromEntries(served) }];
}

function namesOf({ service, methods }: ServiceAdapter): string[] {
  return [service.typeName, ...Object.values(methods).map(({ method }) => methodPath(method))];
}
