/** Finds messages of a description that have the shape of an object. */
import { type DescEnum, type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import {
  enum_value,
  field as fieldRules,
  message as messageRules,
  oneof as oneofRules,
} from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import { OneofRules_Layout } from "connect-rest-runtime/gen/connectrest/v1/field_rules_pb.js";
import { typeName } from "./names.ts";
import type { Notation, Shape } from "./shape.ts";

/** The share of the keys of a message, or the number of keys, that its objects have at least. */
const LEAST_SHARE = 0.5;
const MANY_KEYS = 5;
const MANY_TEXTS = 3;
const MAX_DEPTH = 4;
const MAX_KEYS = 1000;

/** Returns the keys for which a message gets fields. */
export type NewKeys = (message: string) => ReadonlySet<string>;

/** Returns the smallest of the messages that declare all keys of an object, with the types of its values. */
export function existingMessage(
  shape: Shape,
  candidates: readonly DescMessage[],
  newKeys: NewKeys,
): DescMessage | undefined {
  const { size } = shape.keys;
  const fitting = candidates.flatMap((message) => {
    const fields = fieldsByKey(message);
    const isLikely = size >= 2 && (size >= MANY_KEYS || size >= LEAST_SHARE * fields.size);
    return isLikely && holdsObject(message, shape, newKeys, 0) ? [{ message, size: fields.size }] : [];
  });
  return fitting.toSorted((a, b) => a.size - b.size)[0]?.message;
}

/** Returns the only enum that has some spellings, and that has the name of a key or many of the spellings. */
export function existingEnum(
  texts: readonly string[],
  key: string,
  candidates: readonly DescEnum[],
): DescEnum | undefined {
  const fitting = candidates.filter((each) => {
    const spellings = spellingsOf(each);
    return (
      texts.every((text) => spellings.has(text)) &&
      (each.name.endsWith(typeName(key)) || texts.length >= MANY_TEXTS)
    );
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

function spellingsOf({ values }: DescEnum): ReadonlySet<string> {
  const spellings = values.flatMap((value): string[] => {
    const { wire, aliases } = getOption(value, enum_value);
    return [wire ?? value.name, ...aliases];
  });
  return new Set(spellings);
}

/** A field that a key of an object belongs to; `any` for a key with values of any type. */
type Reader = DescField | "any";

/** Returns the fields of a message, and of the members that share its object, by their keys. */
function fieldsByKey(message: DescMessage, found: Map<string, Reader> = new Map()): Map<string, Reader> {
  for (const field of message.fields) {
    const { name, from, unknown, unwrap, coerce, jsonText } = getOption(field, fieldRules);
    const rules = field.oneof === undefined ? undefined : getOption(field.oneof, oneofRules);
    const { discriminator = "", layout = 0, payload = "" } = rules ?? {};
    for (const key of [discriminator, payload]) if (key !== "") found.set(key, "any");
    const isShared = layout === OneofRules_Layout.FLATTENED || (layout === 0 && discriminator !== "");
    if (isShared && field.message !== undefined) {
      if (found.size < MAX_KEYS) fieldsByKey(field.message, found);
    } else if (from.length === 0 && !unknown) {
      const isAny = unwrap || coerce || jsonText || field.message?.typeName === "google.protobuf.Value";
      const keys = name === "" ? [field.name, field.jsonName] : [name];
      for (const key of keys) found.set(key, isAny ? "any" : field);
    }
  }
  return found;
}

function holdsObject(message: DescMessage, { keys }: Shape, newKeys: NewKeys, depth: number): boolean {
  const { tuple } = getOption(message, messageRules);
  const isValue = message.oneofs.some(
    (each) => getOption(each, oneofRules).layout === OneofRules_Layout.UNWRAPPED,
  );
  if (depth > MAX_DEPTH || tuple || isValue) return false;
  const fields = fieldsByKey(message);
  const others = newKeys(message.typeName);
  return [...keys].every(([key, shape]) => {
    const field = fields.get(key);
    if (field === undefined) return others.has(key);
    return field === "any" || holds(field, shape, newKeys, depth);
  });
}

function holds(field: DescField, shape: Shape, newKeys: NewKeys, depth: number): boolean {
  const { types, items, keys } = shape;
  const [type] = types;
  if (type === undefined) return true;
  if (types.length > 1) return false;
  if (field.fieldKind === "list") {
    return (
      type === "array" &&
      (items === undefined || (items.nulls === 0 && holdsOne(field, items, newKeys, depth)))
    );
  }
  if (field.fieldKind === "map") {
    return type === "object" && [...keys.values()].every((each) => holdsOne(field, each, newKeys, depth));
  }
  return holdsOne(field, shape, newKeys, depth);
}

/** Reports whether a field, its items or its map values can be the values of a shape. */
function holdsOne(field: DescField, shape: Shape, newKeys: NewKeys, depth: number): boolean {
  const [type, ...others] = shape.types;
  if (others.length > 0) return false;
  const { message, enum: values } = field;
  if (message !== undefined) {
    if (/^google\.protobuf\.(?:Struct|Value)$/.test(message.typeName)) {
      return type === "object" || message.name === "Value";
    }
    if (message.typeName === "google.protobuf.Timestamp") return holdsTime(field, shape);
    return (
      type === "object" &&
      !/^google\./.test(message.typeName) &&
      holdsObject(message, shape, newKeys, depth + 1)
    );
  }
  if (values !== undefined) {
    const spellings = spellingsOf(values);
    return (
      type === "string" && [...(shape.strings.texts?.keys() ?? [""])].every((text) => spellings.has(text))
    );
  }
  return holdsScalar(field.scalar, shape);
}

function holdsScalar(scalar: ScalarType | undefined, { types: [type], numbers, strings }: Shape): boolean {
  switch (scalar) {
    case ScalarType.STRING:
      return type === "string";
    case ScalarType.BOOL:
      return type === "boolean";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return type === "number";
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return type === "string" ? strings.are("integer") : numbers.areWithin(-(2n ** 63n), 2n ** 64n - 1n);
    case ScalarType.INT32:
      return type === "number" && numbers.areWithin(-(2n ** 31n), 2n ** 31n - 1n);
    case ScalarType.UINT32:
      return type === "number" && numbers.areWithin(0n, 2n ** 32n - 1n);
    default:
      return false;
  }
}

/** The notations of the units in Time.Unit. */
const NOTATIONS: Readonly<Record<number, Notation>> = { 0: "iso", 4: "iso", 6: "http_date", 7: "rfc2822" };

function holdsTime(field: DescField, { types: [type], strings }: Shape): boolean {
  const unit = getOption(field, fieldRules).time?.unit ?? 0;
  const notation = NOTATIONS[unit];
  return notation === undefined
    ? type === "number" && unit !== 5
    : type === "string" && strings.are(notation);
}
