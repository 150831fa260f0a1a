import type { Limits, Schema, Shape } from "../normalize/schema.ts";
import { type OptionValue, Token } from "../proto/model.ts";

type Checks = Readonly<Record<string, OptionValue>>;

const INT_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  uint64: [0, Number.MAX_SAFE_INTEGER],
};

/** The string formats that protovalidate supports. */
const FORMATS: Readonly<Record<string, string>> = {
  email: "email",
  hostname: "hostname",
  ipv4: "ipv4",
  ipv6: "ipv6",
  uri: "uri",
  uuid: "uuid",
};

/** Returns the constraints of a string. */
export function stringChecks({ format, limits }: Schema): Checks | undefined {
  const known = FORMATS[format ?? ""];
  const lengths = ordered(count(limits.minLength), count(limits.maxLength));
  return wrapped("string", {
    ...lengthChecks(...lengths),
    pattern: isPortable(limits.pattern) ? limits.pattern : undefined,
    ...(known === undefined ? {} : { [known]: true }),
  });
}

function lengthChecks(least: number | undefined, most: number | undefined): Checks {
  if (least !== undefined && least === most) return { len: least };
  return {
    ...(least === undefined || least === 0 ? {} : { min_len: least }),
    ...(most === undefined ? {} : { max_len: most }),
  };
}

/** Returns the constraints of a number with a protobuf type. */
export function numberChecks(type: string, limits: Limits): Checks | undefined {
  const range = INT_RANGES[type];
  const fits = (limit: number | undefined): OptionValue | undefined => {
    if (limit === undefined) return undefined;
    if (range === undefined) return literal(limit);
    return Number.isSafeInteger(limit) && limit >= range[0] && limit <= range[1] ? limit : undefined;
  };
  const lower = limits.exclusiveMinimum ?? limits.minimum;
  const upper = limits.exclusiveMaximum ?? limits.maximum;
  if (lower !== undefined && upper !== undefined && lower >= upper) {
    const exact =
      lower === upper && limits.exclusiveMinimum === undefined && limits.exclusiveMaximum === undefined;
    return exact ? wrapped(type, { const: fits(lower) }) : undefined;
  }
  return wrapped(type, {
    gt: fits(limits.exclusiveMinimum),
    gte: limits.exclusiveMinimum === undefined ? fits(limits.minimum) : undefined,
    lt: fits(limits.exclusiveMaximum),
    lte: limits.exclusiveMaximum === undefined ? fits(limits.maximum) : undefined,
  });
}

/** Returns a number as a literal of protobuf's text format. */
function literal(value: number): OptionValue {
  return new Token(String(value));
}

/** Returns the constraint that a value is one of several. */
export function valueChecks(type: string, values: readonly (string | number)[]): Checks | undefined {
  return wrapped(type, { in: values });
}

/** Returns the constraint that a boolean has a value; undefined if it may have both. */
export function booleanChecks(only: boolean | undefined): Checks | undefined {
  return only === undefined ? undefined : wrapped("bool", { const: only });
}

/** The texts of scalars in a query or form, as patterns of RE2. */
const TEXTS: Readonly<Record<string, string>> = {
  boolean: "true|false",
  integer: "-?[0-9]+",
  number: "-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?",
};

/**
 * Returns the constraint that a text is a value of one of several shapes; undefined if it may be any
 * text.
 */
export function textChecks(shapes: readonly Shape[]): Checks | undefined {
  const patterns = shapes.map((shape) => {
    if (shape.kind !== "enum") return TEXTS[shape.kind];
    return shape.values.map((value) => String(value).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  });
  if (patterns.some((pattern) => pattern === undefined)) return undefined;
  return wrapped("string", { pattern: `^(${[...new Set(patterns)].join("|")})$` });
}

/** Returns the constraints of a list. */
export function listChecks(
  limits: Limits,
  required: boolean,
  items: Checks | undefined,
  unique: boolean,
): Checks | undefined {
  const [least, most] = ordered(count(limits.minItems), count(limits.maxItems));
  return wrapped("repeated", {
    // an empty list counts as absent
    min_items: required && least !== 0 ? least : undefined,
    max_items: most,
    unique: unique && limits.uniqueItems === true ? true : undefined,
    items,
  });
}

/** Returns the constraints of a map. */
export function mapChecks(limits: Limits, required: boolean, values: Checks | undefined): Checks | undefined {
  const [least, most] = ordered(count(limits.minProperties), count(limits.maxProperties));
  return wrapped("map", { min_pairs: required && least !== 0 ? least : undefined, max_pairs: most, values });
}

function wrapped(
  type: string,
  checks: Readonly<Record<string, OptionValue | undefined>>,
): Checks | undefined {
  const set = Object.entries(checks).filter(
    (entry): entry is [string, OptionValue] => entry[1] !== undefined,
  );
  return set.length === 0 ? undefined : { [type]: Object.fromEntries(set) };
}

function count(limit: number | undefined): number | undefined {
  return limit !== undefined && Number.isSafeInteger(limit) && limit >= 0 ? limit : undefined;
}

/** Returns the bounds, or none of them if they contradict each other. */
function ordered(
  least: number | undefined,
  most: number | undefined,
): readonly [number | undefined, number | undefined] {
  return least !== undefined && most !== undefined && least > most ? [undefined, undefined] : [least, most];
}

const MAX_PATTERN = 1000;
/** Syntax that RE2 lacks, or interprets differently from ECMA-262. */
const NOT_PORTABLE =
  /\(\?|\\(?![dDwWsSbB.*+?()[\]{}|^$/\\nrt-])|\[\^?\]|\[[^\]]*\[|\{\d{4,}|\{\d*,\d{4,}|\{,/;

/** Reports whether RE2 interprets a pattern as JavaScript does; true without a pattern. */
export function isPortable(pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  if (pattern.length > MAX_PATTERN || NOT_PORTABLE.test(pattern)) return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
