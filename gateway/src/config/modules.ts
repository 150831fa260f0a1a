import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The address of a module that a configuration names: a path relative to the configuration's directory, or a
 * package as seen from there.
 *
 * @throws Error when there is no such file or package
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
