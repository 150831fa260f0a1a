import { suggest } from "../diagnostics/suggest.ts";
import type { Options } from "../protocol/options.ts";
import { OPTION_NAMES, ParameterError, parseParameter } from "../protocol/parameter.ts";

/** An option of a generator. */
export interface OptionSpec {
  /** The purpose of the option, in one line for `--help`. */
  readonly help: string;
  readonly default: string;
  /** The valid values. Default: any value. */
  readonly values?: readonly string[];
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** The value of each option, given or default. */
export type OptionValues<Specs extends OptionSpecs> = { readonly [Name in keyof Specs]: string };

/** The options of one generator, and the options that all generators have. */
export interface ParsedOptions<Specs extends OptionSpecs> {
  readonly own: OptionValues<Specs>;
  readonly common: Options;
}

/**
 * Parses options in the format of `buf` and `protoc`: `key=value`, separated by commas.
 *
 * @throws ParameterError for an unknown option or value
 */
export function parseOptions<Specs extends OptionSpecs>(
  parameter: string,
  specs: Specs,
): ParsedOptions<Specs> {
  const own = new Map(Object.entries(specs).map(([name, spec]) => [name, spec.default]));
  const common: string[] = [];
  for (const item of parameter.split(",").filter((text) => text.trim() !== "")) {
    const [name = "", value = ""] = item.trim().split(/=(.*)/s);
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (spec !== undefined) {
      own.set(name, checked(name, value, spec));
    } else if (OPTION_NAMES.includes(name)) {
      common.push(item);
    } else {
      const text = suggest(name, [...Object.keys(specs), ...OPTION_NAMES]);
      throw new ParameterError(`unknown option \`${name}\`${text}`);
    }
  }
  const parsed = parseParameter(common.join(","));
  if (parsed.targets.join() !== "ts") {
    const text = "what is added to adapters is TypeScript, and so must they be; expected ts";
    throw new ParameterError(`option target=${parsed.targets.join("+")}: ${text}`);
  }
  return { own: Object.fromEntries(own) as OptionValues<Specs>, common: parsed };
}

function checked(name: string, value: string, { values }: OptionSpec): string {
  if (values === undefined || values.includes(value)) return value;
  throw new ParameterError(`option ${name}=${value}: expected ${values.join(" or ")}`);
}
