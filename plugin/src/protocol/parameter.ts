import { suggest } from "../parse/field-path.ts";
import type { ImportExtension } from "../print/source-file.ts";

/** Options of the generator, from CodeGeneratorRequest.parameter. */
export interface Options {
  /** What relative imports end in. Default: `none`, as with protoc-gen-es. */
  readonly importExtension: ImportExtension;
  /** What becomes of a method with an HTTP rule that no REST call can fulfil. Default: `error`. */
  readonly unsupported: "error" | "skip";
  /** Paths of service configs, relative to the working directory of the compiler; later ones win. Default: none. */
  readonly serviceConfigs: readonly string[];
}

/** An option that is unknown or has an unknown value. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}

type Mutable = { -readonly [K in keyof Options]: Options[K] };

const PARSERS: Readonly<Record<string, (value: string, options: Mutable) => void>> = {
  target: (value) => {
    oneOf("target", value, ["ts"]);
  },
  import_extension: (value, options) => {
    options.importExtension = oneOf("import_extension", value.replace(/^\./, ""), ["ts", "js", "none"]);
  },
  unsupported: (value, options) => {
    options.unsupported = oneOf("unsupported", value, ["error", "skip"]);
  },
  service_config: (value, options) => {
    if (value === "")
      throw new ParameterError("option service_config: expected the path of a YAML or JSON file");
    options.serviceConfigs = [...options.serviceConfigs, value];
  },
};

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(PARSERS);

/**
 * Parses options as `buf` and `protoc` pass them: `key=value`, separated by commas.
 *
 * @throws ParameterError
 */
export function parseParameter(parameter: string): Options {
  const options: Mutable = { importExtension: "none", unsupported: "error", serviceConfigs: [] };
  for (const item of parameter.split(",").filter((text) => text.trim() !== "")) {
    const [key = "", value = ""] = item.trim().split(/=(.*)/s);
    const parse = Object.hasOwn(PARSERS, key) ? PARSERS[key] : undefined;
    if (parse === undefined)
      throw new ParameterError(`unknown option \`${key}\`${suggest(key, OPTION_NAMES)}`);
    parse(value, options);
  }
  return options;
}

function oneOf<T extends string>(key: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new ParameterError(`option ${key}=${value}: expected ${allowed.join(" or ")}`);
}
