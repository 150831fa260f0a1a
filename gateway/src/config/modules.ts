import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Config, problemAt } from "./load.ts";
import type { Problem } from "./problems.ts";

/** A module named by a setting, after loading. */
export interface LoadedModule {
  readonly specifier: string;
  /** The path of the setting. */
  readonly path: readonly PropertyKey[];
  /** The values of its exports. */
  readonly exports: readonly unknown[];
}

/** Loads the modules of a setting in order. Adds a problem for each module that cannot be loaded. */
export async function importModules(
  config: Config,
  setting: "adapters" | "types",
  problems: Problem[],
): Promise<LoadedModule[]> {
  const modules: LoadedModule[] = [];
  for (const [index, specifier] of config[setting].entries()) {
    const path = [setting, index];
    try {
      const module: unknown = await import(resolveModule(specifier, config.directory));
      modules.push({ specifier, path, exports: Object.values(module as Record<string, unknown>) });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      problems.push(problemAt(config, path, `${specifier} cannot be loaded: ${text}${hint(text)}`));
    }
  }
  return modules;
}

/** Returns a hint about generator options if a module cannot find the message modules that it imports. */
function hint(text: string): string {
  if (!/^Cannot find module '[^']*_(?:pb|rest)(?:\.[jt]s)?'/.test(text)) return "";
  return "; generate messages and adapters with the same target, and with import_extension=ts or js";
}

/**
 * Resolves a module of a configuration: a path relative to the configuration's directory, or a package that
 * can be resolved from there.
 *
 * @throws Error if the file or package does not exist
 */
export function resolveModule(specifier: string, directory: string): string {
  if (/^\.{0,2}\//.test(specifier) || path.isAbsolute(specifier)) {
    const file = path.resolve(directory, specifier);
    if (!existsSync(file)) throw new Error(`there is no file ${file}`);
    return pathToFileURL(file).href;
  }
  const resolve = createRequire(path.join(directory, "package.json")).resolve;
  return pathToFileURL(resolve(specifier)).href;
}
