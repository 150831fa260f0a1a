import { type DescField, type DescOneof, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import {
  type FieldRules,
  field as fieldExtension,
  Ignore,
  message as messageExtension,
  oneof as oneofExtension,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { accepts, both, type JsonSchema } from "./json-schema.ts";

/** The rules that a schema can express. All others are omitted, so that a schema accepts all valid values. */
export interface KnownRules {
  readonly rules: FieldRules | undefined;
  readonly isRequired: boolean;
  /** Whether the zero value is valid whatever the rules say. */
  readonly ignoresZero: boolean;
  /** Whether nothing is checked, not even the fields of a message. */
  readonly isIgnored: boolean;
}

const NONE: KnownRules = { rules: undefined, isRequired: false, ignoresZero: false, isIgnored: false };

/** Returns the rules of a field. A field with presence has its rules whenever it is set, even to zero. */
export function rulesOf(field: DescField): KnownRules {
  if (!hasOption(field, fieldExtension)) return NONE;
  const known = knownRules(getOption(field, fieldExtension));
  return { ...known, ignoresZero: known.ignoresZero && field.presence === FeatureSet_FieldPresence.IMPLICIT };
}

export function knownRules(rules: FieldRules | undefined): KnownRules {
  if (rules === undefined) return NONE;
  const { ignore, required } = rules;
  const isIgnored = ignore === Ignore.ALWAYS;
  return {
    rules: isIgnored ? undefined : rules,
    isRequired: required && !isIgnored,
    ignoresZero: ignore === Ignore.IF_ZERO_VALUE,
    isIgnored,
  };
}

/** Returns the texts of rules that a schema does not express, for its description. */
export function ruleTexts(field: DescField): readonly string[] {
  return (rulesOf(field).rules?.cel ?? []).map(({ message }) => message).filter((text) => text !== "");
}

export function isOneofRequired(oneof: DescOneof): boolean {
  return hasOption(oneof, oneofExtension) && getOption(oneof, oneofExtension).required;
}

/** Returns the groups of fields of which a message may have one only. */
export function exclusiveFields(
  desc: DescField["parent"],
): readonly { readonly fields: readonly string[]; readonly required: boolean }[] {
  return hasOption(desc, messageExtension) ? getOption(desc, messageExtension).oneof : [];
}

/** The rules of the scalar types; the properties that are set are properties of the message itself. */
type ScalarRules = Readonly<Record<string, unknown>>;

/** Returns a value that the rules set. Rules are proto2 messages, whose prototypes have the defaults. */
function setValue<T>(rules: object, name: string): T | undefined {
  return Object.hasOwn(rules, name) ? ((rules as ScalarRules)[name] as T) : undefined;
}

/** Adds the rules of a scalar to the schema of its type. */
export function withScalarRules(
  base: JsonSchema,
  scalar: ScalarType,
  { rules, ignoresZero }: KnownRules,
): JsonSchema {
  const { value } = rules?.type ?? {};
  if (value === undefined) return base;
  const schema = both([base, ...scalarRules(scalar, value)]);
  const zero = zeroOf(scalar);
  return ignoresZero && !accepts(schema, zero) ? { anyOf: [schema, { const: zero }] } : schema;
}

/** Returns the ProtoJSON of the zero value of a type. */
export function zeroOf(scalar: ScalarType): string | number | boolean {
  if (scalar === ScalarType.BOOL) return false;
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return "";
  return isLong(scalar) ? "0" : 0;
}

export function isLong(scalar: ScalarType): boolean {
  return LONGS.has(scalar);
}

const LONGS: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

function scalarRules(scalar: ScalarType, rules: object): JsonSchema[] {
  if (scalar === ScalarType.BYTES) return bytesRules(rules);
  const schemas = setRules(rules, isLong(scalar) ? String : (value) => value);
  if (scalar === ScalarType.STRING) return [...schemas, ...stringRules(rules)];
  if (scalar === ScalarType.BOOL || isLong(scalar)) return schemas;
  return [...schemas, ...rangeRules(rules)];
}

/** The rules `const`, `in` and `not_in`, whose values `print` prints as JSON. */
export function setRules(rules: object, print: (value: unknown) => unknown): JsonSchema[] {
  const constant = setValue(rules, "const");
  const some = setValue<unknown[]>(rules, "in") ?? [];
  const none = setValue<unknown[]>(rules, "notIn") ?? [];
  return [
    ...(constant === undefined ? [] : [{ const: print(constant) }]),
    ...(some.length === 0 ? [] : [{ enum: some.map(print) }]),
    ...(none.length === 0 ? [] : [{ not: { enum: none.map(print) } }]),
  ];
}

/** An upper bound below the lower bound excludes the values between them, which a schema does not express. */
function rangeRules(rules: object): JsonSchema[] {
  const { lessThan, greaterThan, finite } = rules as {
    readonly lessThan: { readonly case?: string; readonly value?: number };
    readonly greaterThan: { readonly case?: string; readonly value?: number };
    readonly finite?: boolean;
  };
  const [upper, lower] = [lessThan.value, greaterThan.value];
  const numeric: JsonSchema[] = finite === true ? [{ type: "number" }] : [];
  if (upper === undefined && lower === undefined) return numeric;
  // a bound rejects NaN; an infinity is a string in JSON, and rare enough to be excluded by no bound
  if (upper !== undefined && lower !== undefined && upper <= lower) return numeric;
  return [
    ...numeric,
    { not: { const: "NaN" } },
    ...(upper === undefined ? [] : [{ not: { const: "Infinity" } }]),
    ...(lower === undefined ? [] : [{ not: { const: "-Infinity" } }]),
    {
      ...(upper !== undefined && (lessThan.case === "lt" ? { exclusiveMaximum: upper } : { maximum: upper })),
      ...(lower !== undefined &&
        (greaterThan.case === "gt" ? { exclusiveMinimum: lower } : { minimum: lower })),
    },
  ];
}

/** The length of a string is its number of code points, as in JSON Schema. A code point has 1 to 4 bytes. */
function stringRules(rules: object): JsonSchema[] {
  const count = (name: string) => {
    const value = setValue<bigint>(rules, name);
    return value === undefined ? undefined : Number(value);
  };
  const [length, bytes] = [count("len"), count("lenBytes")];
  const lowest = [length ?? count("minLen"), quarter(bytes ?? count("minBytes"))];
  const highest = [length ?? count("maxLen"), bytes ?? count("maxBytes")];
  const minLength = Math.max(0, ...lowest.filter((each) => each !== undefined));
  const maxLength = Math.min(Infinity, ...highest.filter((each) => each !== undefined));
  const text = (name: string, pattern: (escaped: string) => string) => {
    const value = setValue<string>(rules, name);
    return value === undefined ? undefined : { pattern: pattern(escaped(value)) };
  };
  const { wellKnown } = rules as {
    readonly wellKnown?: { readonly case?: string; readonly value?: unknown };
  };
  const pattern = setValue<string>(rules, "pattern");
  const notContains = text("notContains", (part) => part);
  return [
    ...(minLength > 0 ? [{ minLength }] : []),
    ...(maxLength < Infinity ? [{ maxLength }] : []),
    ...(pattern !== undefined && isPortable(pattern) ? [{ pattern }] : []),
    text("prefix", (part) => `^${part}`),
    text("suffix", (part) => `${part}$`),
    text("contains", (part) => part),
    notContains && { not: notContains },
    wellKnown?.case === "uuid" && wellKnown.value === true ? { pattern: UUID } : undefined,
  ].filter((each) => each !== undefined);
}

const UUID = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";

function quarter(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : Math.ceil(bytes / 4);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/**
 * The parts of regular expressions that mean the same in RE2 and in JavaScript: literals, anchors, classes,
 * groups, quantifiers. A dot does not, because of line separators, and `\s` does not, because of Unicode.
 */
const PORTABLE =
  /^(?:[^\\[.(]|\((?!\?)|\(\?:|\\[dDwW.*+?()[\]{}|^$/\\]|\[\^?(?:[^\\[\]]|\\[dwDW.*+?()[\]{}|^$/\\-])+\])*$/;

function isPortable(pattern: string): boolean {
  if (!PORTABLE.test(pattern)) return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** Base64 has four characters for three bytes; the padding may be missing. */
function bytesRules(rules: object): JsonSchema[] {
  const count = (name: string) => setValue<bigint>(rules, name);
  const [lowest, highest] = [count("len") ?? count("minLen"), count("len") ?? count("maxLen")];
  return [
    ...(lowest === undefined || lowest === 0n ? [] : [{ minLength: Math.ceil((Number(lowest) * 4) / 3) }]),
    ...(highest === undefined ? [] : [{ maxLength: Math.ceil(Number(highest) / 3) * 4 }]),
  ];
}
