import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Literal } from "protoc-gen-connect-rest/kit";
import { type Constraint, UNCONSTRAINED } from "./json-schema.ts";

/** Lower and upper bound of a number in rules of protovalidate; as exact as they were written. */
interface Bounds {
  readonly lower?: { readonly value: bigint | number; readonly exclusive: boolean };
  readonly upper?: { readonly value: bigint | number; readonly exclusive: boolean };
}

/** Rules of integers that ProtoJSON writes as numbers; `least` and `most` are the bounds of the type. */
export function integerConstraint(rules: JsonObject, least: number, most: number): Constraint {
  const listed = listedKeywords(rules, Number);
  if (listed !== undefined) return { keywords: listed, hints: [] };
  const { lower, upper } = boundsOf(rules, Number);
  const minimum = lower === undefined ? least : Number(lower.value) + Number(lower.exclusive);
  const maximum = upper === undefined ? most : Number(upper.value) - Number(upper.exclusive);
  return {
    keywords: { ...rangeKeywords({ minimum }, { maximum }, minimum > maximum), ...notIn(rules, Number) },
    hints: [],
  };
}

/** Rules of floating-point numbers. */
export function floatConstraint(rules: JsonObject): Constraint {
  const listed = listedKeywords(rules, Number);
  if (listed !== undefined) return { keywords: listed, hints: [] };
  const { lower, upper } = boundsOf(rules, Number);
  const below = lower && { [lower.exclusive ? "exclusiveMinimum" : "minimum"]: Number(lower.value) };
  const above = upper && { [upper.exclusive ? "exclusiveMaximum" : "maximum"]: Number(upper.value) };
  const outside = lower !== undefined && upper !== undefined && lower.value >= upper.value;
  return { keywords: { ...rangeKeywords(below, above, outside), ...notIn(rules, Number) }, hints: [] };
}

/** Rules of 64-bit integers, which ProtoJSON writes as strings: a range has no keyword there. */
export function longConstraint(rules: JsonObject): Constraint {
  const listed = listedKeywords(rules, String);
  if (listed !== undefined) return { keywords: listed, hints: [] };
  const { lower, upper } = boundsOf(rules, BigInt);
  if (lower === undefined && upper === undefined) {
    return { ...UNCONSTRAINED, keywords: notIn(rules, String) };
  }
  const least = lower && `${lower.exclusive ? "more than" : "at least"} ${lower.value}`;
  const most = upper && `${upper.exclusive ? "less than" : "at most"} ${upper.value}`;
  const outside = lower !== undefined && upper !== undefined && lower.value >= upper.value;
  const text = [least, most].filter((part) => part !== undefined).join(outside ? " or " : " and ");
  return {
    keywords: notIn(rules, String),
    hints: [`${text.charAt(0).toUpperCase()}${text.slice(1)}.`],
  };
}

/** Whether zero breaks the rules of a number, so that the field cannot be left out. */
export function zeroBreaks(rules: JsonObject): boolean {
  const listed = rules.const === undefined ? list(rules.in) : [rules.const];
  if (listed.length > 0) return !listed.some((value) => Number(value) === 0);
  if (list(rules.notIn).some((value) => Number(value) === 0)) return true;
  const { lower, upper } = boundsOf(rules, Number);
  const tooSmall = lower !== undefined && (lower.exclusive ? 0 <= lower.value : 0 < lower.value);
  const tooLarge = upper !== undefined && (upper.exclusive ? 0 >= upper.value : 0 > upper.value);
  const outside = lower !== undefined && upper !== undefined && lower.value >= upper.value;
  return outside ? tooSmall && tooLarge : tooSmall || tooLarge;
}

export function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function boundsOf(rules: JsonObject, parse: (value: string) => bigint | number): Bounds {
  const bound = (open: JsonValue | undefined, closed: JsonValue | undefined) => {
    const given = open ?? closed;
    if (given === undefined || !Number.isFinite(Number(given))) return undefined;
    return { value: parse(String(given)), exclusive: open !== undefined };
  };
  const lower = bound(rules.gt, rules.gte);
  const upper = bound(rules.lt, rules.lte);
  return { ...(lower && { lower }), ...(upper && { upper }) };
}

/** A lower bound above the upper one means that values between them are refused. */
function rangeKeywords(
  below: Readonly<Record<string, number>> | undefined,
  above: Readonly<Record<string, number>> | undefined,
  outside: boolean,
): Readonly<Record<string, Literal>> {
  if (outside && below !== undefined && above !== undefined) return { anyOf: [above, below] };
  return { ...below, ...above };
}

function listedKeywords(
  rules: JsonObject,
  convert: (value: JsonValue) => string | number,
): Readonly<Record<string, Literal>> | undefined {
  if (rules.const !== undefined) return { const: convert(rules.const) };
  const allowed = list(rules.in);
  return allowed.length === 0 ? undefined : { enum: allowed.map(convert) };
}

function notIn(
  rules: JsonObject,
  convert: (value: JsonValue) => string | number,
): Readonly<Record<string, Literal>> {
  const refused = list(rules.notIn);
  return refused.length === 0 ? {} : { not: { enum: refused.map(convert) } };
}
