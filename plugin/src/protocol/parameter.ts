import { suggest } from "../diagnostics/suggest.ts";
import type { ImportRule, Options, Target } from "./options.ts";

/** Thrown for an unknown option or an option with an unknown value. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}

type Mutable = { -readonly [K in keyof Options]: Options[K] };

const PARSERS: Readonly<Record<string, (value: string, options: Mutable) => void>> = {
  target: (value, options) => {
    options.targets = [...new Set(value.split("+").map((target) => parseTarget(target, value)))];
  },
  import_extension: (value, options) => {
    options.importExtension = oneOf("import_extension", value.replace(/^\./, ""), ["ts", "js", "none"]);
  },
  map_imports: (value, options) => {
    options.mapImports = [...options.mapImports, parseRule("map_imports", value, /^([^:]+):(.+)$/s)];
  },
  rewrite_imports: (value, options) => {
    options.rewriteImports = [
      ...options.rewriteImports,
      parseRule("rewrite_imports", value, /^([^:]*):(.*)$/s),
    ];
  },
  keep_empty_files: (value, options) => {
    options.keepEmptyFiles = parseFlag("keep_empty_files", value);
  },
  ts_nocheck: (value, options) => {
    options.tsNocheck = parseFlag("ts_nocheck", value);
  },
  js_import_style: (value) => {
    if (value === "module") return;
    const text = "adapters are ECMAScript modules, which CommonJS can load with require too";
    throw new ParameterError(`option js_import_style=${value}: expected module; ${text}`);
  },
  proto_path: (value, options) => {
    options.protoPath = value.replace(/\/+$/, "");
  },
  unsupported: (value, options) => {
    options.unsupported = oneOf("unsupported", value, ["error", "skip"]);
  },
  service_config: (value, options) => {
    if (value === "") {
      throw new ParameterError("option service_config: expected the path of a YAML or JSON file");
    }
    options.serviceConfigs = [...options.serviceConfigs, value];
  },
  comments: (value, options) => {
    options.comments = parseFlag("comments", value);
  },
};

const DEFAULTS: Options = {
  targets: ["ts"],
  importExtension: "none",
  mapImports: [],
  rewriteImports: [],
  comments: false,
  keepEmptyFiles: false,
  tsNocheck: false,
  protoPath: "",
  unsupported: "error",
  serviceConfigs: [],
};

const TARGETS: readonly Target[] = ["ts", "js", "dts"];

function parseTarget(target: string, value: string): Target {
  const found = TARGETS.find((candidate) => candidate === target);
  if (found !== undefined) return found;
  throw new ParameterError(
    `option target=${value}: expected ts, js or dts, or some joined by +, e.g. js+dts`,
  );
}

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(PARSERS);

/**
 * Parses options in the format of `buf` and `protoc`: `key=value`, separated by commas.
 *
 * @throws ParameterError
 */
export function parseParameter(parameter: string): Options {
  const options: Mutable = { ...DEFAULTS };
  for (const item of parameter.split(",").filter((text) => text.trim() !== "")) {
    const [key = "", value = ""] = item.trim().split(/=(.*)/s);
    const parse = Object.hasOwn(PARSERS, key) ? PARSERS[key] : undefined;
    if (parse === undefined) {
      throw new ParameterError(`unknown option \`${key}\`${suggest(key, OPTION_NAMES)}`);
    }
    parse(value, options);
  }
  return options;
}

function parseRule(key: string, value: string, form: RegExp): ImportRule {
  const [, pattern, target] = form.exec(value) ?? [];
  if (pattern !== undefined && target !== undefined) return { pattern, target };
  const example = "buf/validate/:@bufbuild/protovalidate/gen";
  throw new ParameterError(`option ${key}=${value}: expected <pattern>:<target>, e.g. ${example}`);
}

/** Parses a flag like protoc-gen-es. */
function parseFlag(key: string, value: string): boolean {
  return ["true", "1"].includes(oneOf(key, value, ["true", "false", "1", "0"]));
}

function oneOf<T extends string>(key: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new ParameterError(`option ${key}=${value}: expected ${allowed.join(" or ")}`);
}
