import { suggest } from "../text/suggest.ts";
import { restError } from "./rest-error.ts";

/** The range of a numeric option. */
export interface Range {
  /** The unit of the option, in the plural. */
  readonly unit: string;
  /** Default: 1. */
  readonly min?: number;
  readonly max: number;
  /** Whether fractions are allowed. The value then has to be greater than `min`. */
  readonly fraction?: boolean;
}

/** Creates the error for an option with an invalid value. */
export type InvalidOption = (option: string, expected: string, got: string) => Error;

/**
 * Rejects unknown option names, since a misspelt name would have no effect.
 *
 * @throws the error from `invalid`
 */
export function checkNames(options: object, known: readonly string[], invalid: InvalidOption): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const near = suggest(name, known);
    throw invalid(name, near === undefined ? `one of ${known.join(", ")}` : `\`${near}\``, "an unknown name");
  }
}

/** @throws the error from `invalid` */
export function checkNumber(name: string, value: unknown, range: Range, invalid: InvalidOption): number {
  const { unit, min = 1, max, fraction = false } = range;
  if (typeof value === "number" && value <= max) {
    if (fraction ? value > min : Number.isInteger(value) && value >= min) return value;
  }
  const expected = fraction
    ? `${unit} above ${min} and at most ${max}`
    : `a whole number of ${unit} from ${min} to ${max}`;
  throw invalid(name, expected, String(value));
}

/**
 * Checks numeric options, in the order of their ranges, and fills in the defaults.
 *
 * @throws the error from `invalid`
 */
export function checkNumbers<K extends string>(
  options: Readonly<Partial<Record<NoInfer<K>, number | undefined>>> | undefined,
  defaults: Readonly<Record<NoInfer<K>, number>>,
  ranges: Readonly<Record<K, Range>>,
  invalid: InvalidOption,
): Readonly<Record<K, number>> {
  const names = Object.keys(ranges) as K[];
  const checked = names.map((name) => {
    return [name, checkNumber(name, options?.[name] ?? defaults[name], ranges[name], invalid)] as const;
  });
  return Object.fromEntries(checked) as Record<K, number>;
}

/**
 * Checks a group of numeric options, and fills in the defaults.
 *
 * @returns undefined for `false`, which disables the group
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function checkGroup<K extends string>(
  upstream: string,
  group: string,
  options: Readonly<Partial<Record<K, number | undefined>>> | false | undefined,
  defaults: Readonly<Record<K, number>>,
  ranges: Readonly<Record<K, Range>>,
): Readonly<Record<K, number>> | undefined {
  if (options === false) return undefined;
  if (options !== undefined && (typeof options !== "object" || options === null)) {
    throw invalidOption(upstream, group, "an object, or false", String(options));
  }
  const invalid: InvalidOption = (name, ...problem) =>
    invalidOption(upstream, `${group}.${name}`, ...problem);
  checkNames(options ?? {}, Object.keys(ranges), invalid);
  return checkNumbers(options, defaults, ranges, invalid);
}

/** Returns the error for an option with an invalid value. */
export function invalidOption(upstream: string, option: string, expected: string, got: string): Error {
  return restError("UPSTREAM_OPTION_INVALID", { upstream, option, expected, got });
}
