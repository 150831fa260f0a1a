import type { ServiceAdapter } from "connect-rest";
import { methodPath } from "../call/method-path.ts";
import { didYouMean } from "../text/suggest.ts";
import { type Config, problemAt } from "./load.ts";
import type { Problem } from "./problems.ts";

/**
 * The adapters with the methods that are served: those that `routes.include` names, where it names any, without those
 * that `routes.exclude` names. Names that no adapter has are added to the problems.
 */
export function selectRoutes(
  adapters: readonly ServiceAdapter[],
  config: Config,
  problems: Problem[],
): ServiceAdapter[] {
  const { include, exclude } = config.routes;
  const known = adapters.flatMap(namesOf);
  for (const [list, names] of Object.entries({ include, exclude })) {
    for (const [index, name] of (names ?? []).entries()) {
      if (known.includes(name)) continue;
      const what = name.includes("/") ? "method" : "service";
      const text = `no adapter has the ${what} ${name}.${didYouMean(name, known)}`;
      problems.push(problemAt(config, ["routes", list, index], text));
    }
  }
  const isServed = (service: string, method: string) => {
    const names = (list: readonly string[]) => list.includes(service) || list.includes(method);
    return (include === undefined || names(include)) && !names(exclude);
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
