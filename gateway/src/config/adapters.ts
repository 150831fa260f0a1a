import type { DescService } from "@bufbuild/protobuf";
import type { ServiceAdapter } from "connect-rest-runtime";
import { type Config, problemAt } from "./load.ts";
import { importModules } from "./modules.ts";
import { ConfigError, type Problem } from "./problems.ts";
import { selectRoutes } from "./routes.ts";

/**
 * Loads the adapters that the modules of a configuration export, reduced to their served methods.
 *
 * @throws ConfigError naming every module that fails to load or has no adapter, every service that occurs in
 *   two modules, and every unknown route
 */
export async function loadAdapters(config: Config): Promise<ServiceAdapter[]> {
  const problems: Problem[] = [];
  const adapters = await readAdapters(config, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return adapters;
}

/** Loads adapters, reduced to their served methods; adds problems to the list. */
export async function readAdapters(config: Config, problems: Problem[]): Promise<ServiceAdapter[]> {
  const adapters = new Map<string, ServiceAdapter>();
  for (const { specifier, path, exports } of await importModules(config, "adapters", problems)) {
    const report = (text: string) => problems.push(problemAt(config, path, text));
    const found = exports.filter(isAdapter);
    if (found.length === 0) report(`${specifier} exports no adapter; expected a module of the generator`);
    for (const adapter of found) {
      const name = adapter.service.typeName;
      if (adapters.has(name)) {
        report(`${specifier} has an adapter for ${name}, and so has a module before it`);
      }
      adapters.set(name, adapter);
    }
  }
  return selectRoutes([...adapters.values()], config, problems);
}

function isAdapter(value: unknown): value is ServiceAdapter {
  if (typeof value !== "object" || value === null || !("service" in value) || !("methods" in value)) {
    return false;
  }
  const { service, methods } = value;
  return isService(service) && typeof methods === "object" && methods !== null;
}

function isService(value: unknown): value is DescService {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "service";
}
