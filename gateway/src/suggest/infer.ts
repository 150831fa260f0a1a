/** Infers the types of fields from the values that were seen. */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import { isFreeText, isIdentifier, isTimeName } from "./names.ts";
import { type JsonType, Shape } from "./shape.ts";

/** A type of the proto language. */
export type Type =
  | { readonly kind: "scalar"; readonly name: "string" | "bool" | "int32" | "int64" | "uint64" | "double" }
  | { readonly kind: "wellKnown"; readonly name: "Struct" | "Timestamp" | "Value" }
  | { readonly kind: "existing"; readonly desc: DescMessage | DescEnum }
  | { readonly kind: "enum"; readonly texts: readonly string[] }
  | { readonly kind: "message"; readonly shape: Shape }
  | { readonly kind: "union"; readonly members: readonly (readonly [JsonType, Inferred])[] }
  | { readonly kind: "list"; readonly item: Inferred }
  | { readonly kind: "map"; readonly value: Inferred };

/** The rules of a field, as printed: a value, or an object of values. */
export type Rules = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** A type with the rules that a field of the type needs. */
export interface Inferred {
  readonly type: Type;
  readonly rules: Rules;
  /** Sentences for the comment of a field. */
  readonly note?: string | undefined;
}

/** The circumstances of values. */
export interface Context {
  /** The key, which says whether numbers are times. */
  readonly key: string;
  /** Whether some strings are placeholders of other strings. */
  readonly hasPlaceholders: boolean;
  /** Whether the value is an item of a list or a value of a map. */
  readonly isElement?: boolean;
  /** Returns a message that has the shape. */
  readonly existing: (shape: Shape) => DescMessage | undefined;
  /** Returns an enum with these spellings. */
  readonly existingEnum: (texts: readonly string[], key: string) => DescEnum | undefined;
}

const STRING: Inferred = { type: { kind: "scalar", name: "string" }, rules: {} };
const STRUCT: Inferred = { type: { kind: "wellKnown", name: "Struct" }, rules: {} };
const VALUE: Inferred = { type: { kind: "wellKnown", name: "Value" }, rules: {} };
const COERCE: Rules = { coerce: "true" };
const PLACEHOLDERS =
  "The recorded values are placeholders: record with `values: true` to find the values of an enum.";

/** The limits of the types of integers. Numbers above the first limit are likely to outgrow an int32. */
const [SMALL, INT64, UINT64] = [2n ** 30n, 2n ** 63n, 2n ** 64n];

/** Units of times since 1970, with the first second of 2001 and of 2065 in the unit. */
const UNITS = (["SECONDS", "MILLIS", "MICROS", "NANOS"] as const).map((unit, index) => {
  const factor = 1000n ** BigInt(index);
  return [unit, 978_307_200n * factor, 3_000_000_000n * factor] as const;
});

/** The number of values of an enum, and the least number of samples of each. */
const ENUM = { least: 2, most: 16, samples: 10, each: 3 } as const;

/** Returns the type for the values of a place. */
export function infer(shape: Shape, context: Context): Inferred {
  const { types } = shape;
  const [only] = types;
  if (only === undefined) return { ...VALUE, note: "Only null was seen." };
  if (shape.nulls > 0 && context.isElement === true) return VALUE;
  return types.length === 1 ? ofType(only, shape, context) : mixed(shape, context);
}

function ofType(type: JsonType, shape: Shape, context: Context): Inferred {
  switch (type) {
    case "boolean":
      return { type: { kind: "scalar", name: "bool" }, rules: {} };
    case "number":
      return numberType(shape, context);
    case "string":
      return stringType(shape, context);
    case "array":
      return listType(shape, context);
    case "object":
      return objectType(shape, context);
  }
}

function numberType({ numbers }: Shape, { key }: Context): Inferred {
  if (numbers.hasFractions) return { type: { kind: "scalar", name: "double" }, rules: {} };
  const { least, most } = numbers;
  if (least !== undefined && most !== undefined && isTimeName(key)) {
    const unit = UNITS.find(([, first, last]) => least >= first && most < last)?.[0];
    const none: Record<string, string> = numbers.zeros > 0 ? { none: '"0"' } : {};
    if (unit !== undefined) return timestamp({ time: { unit, ...none } });
  }
  const isSmall = numbers.areWithin(-SMALL, SMALL) && !isIdentifier(key);
  const isInt64 = numbers.areWithin(-INT64, INT64 - 1n);
  const name = isSmall
    ? "int32"
    : isInt64
      ? "int64"
      : numbers.areWithin(0n, UINT64 - 1n)
        ? "uint64"
        : "double";
  return { type: { kind: "scalar", name }, rules: {} };
}

function stringType(shape: Shape, context: Context): Inferred {
  const { strings } = shape;
  const { key, isElement = false } = context;
  const time = timeType(shape);
  if (time !== undefined && strings.empty === 0) return time;
  if (time !== undefined && !isElement) return { ...time, rules: { ...time.rules, absent: '""' } };
  if (strings.are("integer") && strings.empty === 0 && (strings.are("large") || !isIdentifier(key))) {
    return { type: { kind: "scalar", name: "int64" }, rules: {} };
  }
  const all = [...(strings.texts?.keys() ?? [])];
  const known = all.length > 0 && strings.empty === 0 ? context.existingEnum(all, key) : undefined;
  if (known !== undefined) return { type: { kind: "existing", desc: known }, rules: {} };
  const texts = enumTexts(shape);
  if (texts === undefined || isFreeText(key)) return STRING;
  if (context.hasPlaceholders) return { ...STRING, note: PLACEHOLDERS };
  return { type: { kind: "enum", texts }, rules: {} };
}

function timeType({ strings }: Shape): Inferred | undefined {
  if (strings.are("zoned")) return timestamp({});
  if (strings.are("iso")) {
    return { ...timestamp(COERCE), note: "Times without a time zone are read as UTC." };
  }
  if (strings.are("http_date")) return timestamp({ time: { unit: "HTTP_DATE" } });
  return strings.are("rfc2822") ? timestamp({ time: { unit: "RFC_2822" } }) : undefined;
}

function timestamp(rules: Rules): Inferred {
  return { type: { kind: "wellKnown", name: "Timestamp" }, rules };
}

/** Returns the values of an enum: few words, each of them often. */
function enumTexts({ strings }: Shape): readonly string[] | undefined {
  const { texts, count } = strings;
  if (texts === undefined || !strings.are("word") || count < ENUM.samples) return undefined;
  const isFew = texts.size >= ENUM.least && texts.size <= ENUM.most;
  if (!isFew || [...texts.values()].some((each) => each < ENUM.each)) return undefined;
  return [...texts.keys()].toSorted();
}

function listType({ items }: Shape, context: Context): Inferred {
  if (items === undefined) {
    return { type: { kind: "list", item: VALUE }, rules: {}, note: "Only empty lists were seen." };
  }
  const { note, ...item } = infer(items, { ...context, isElement: true });
  return { type: { kind: "list", item }, rules: {}, note };
}

function objectType(shape: Shape, context: Context): Inferred {
  const { keys, objects, isCut } = shape;
  if (keys.size === 0) return { ...STRUCT, note: "Only empty objects were seen." };
  const shapes = [...keys.values()];
  const seen = shapes.reduce((sum, { count }) => sum + count, 0);
  const isSparse = objects >= 3 && keys.size >= 5 && seen <= 0.34 * keys.size * objects;
  const isVarying = isSparse && shapes.every(({ count }) => count < objects);
  if (isCut || isVarying || [...keys.keys()].every(isIdentity)) {
    const values = new Shape({ shapes: 10_000 }).addAll(shapes);
    const value = values.isCut ? VALUE : infer(values, { ...context, isElement: true });
    const isUniform = value.type.kind !== "union" && value !== VALUE;
    return isUniform ? { type: { kind: "map", value }, rules: {} } : STRUCT;
  }
  const desc = context.existing(shape);
  return { type: desc === undefined ? { kind: "message", shape } : { kind: "existing", desc }, rules: {} };
}

/** Reports whether a key is likely data rather than the name of a field. */
function isIdentity(key: string): boolean {
  return /^\d+$|^[\da-f]{8}-[\da-f-]{27}$|^(?=.*\d)[\da-f]{12,}$|^\d{4}-\d\d(?:-\d\d)?|[\s@/:]/i.test(key);
}

/** Returns the type for values of several JSON types. */
function mixed(shape: Shape, context: Context): Inferred {
  const { types, strings, numbers } = shape;
  const { isElement = false } = context;
  const rest = types.filter((type) => type !== "string");
  const [other] = rest;
  if (other !== undefined && rest.length === 1 && strings.count > 0) {
    if (strings.empty === strings.count && !isElement && other !== "array") {
      const inferred = ofType(other, shape, context);
      return { ...inferred, rules: { ...inferred.rules, absent: '""' } };
    }
    if (other === "number" && strings.are("integer") && strings.empty === 0 && !numbers.hasFractions) {
      return { type: { kind: "scalar", name: "int64" }, rules: COERCE };
    }
    const isFlag = [...(strings.texts?.keys() ?? ["?"])].every((text) => text === "true" || text === "false");
    if (other === "boolean" && isFlag) return { type: { kind: "scalar", name: "bool" }, rules: COERCE };
  }
  // PHP writes an object without keys as a list
  const isEmptyList = shape.lists > 0 && shape.items === undefined && types.length === 2 && shape.objects > 0;
  if (isEmptyList && !isElement) {
    const inferred = objectType(shape, context);
    return { ...inferred, rules: { ...inferred.rules, ...COERCE } };
  }
  const isBit = types.every((type) => type === "number" || type === "boolean") && numbers.areWithin(0n, 1n);
  if (isBit) return { type: { kind: "scalar", name: "bool" }, rules: COERCE };
  const members = types.map((type) => [type, memberType(type, shape, context)] as const);
  return { type: { kind: "union", members }, rules: {} };
}

/** Returns the type of a member of a union. Its JSON type must not depend on the value. */
function memberType(type: JsonType, shape: Shape, context: Context): Inferred {
  if (type === "string") return STRING;
  const inferred = ofType(type, shape, { ...context, key: "" });
  const isLarge = inferred.type.kind === "scalar" && /64$/.test(inferred.type.name);
  return isLarge ? { ...inferred, rules: { ...inferred.rules, number: "true" } } : inferred;
}
