/** Finds messages of a description that have the shape of an object. */
import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import {
  enum_value,
  field as fieldRules,
  message as messageRules,
  oneof as oneofRules,
} from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import type { Notation, Shape } from "./shape.ts";

/** The share of the keys of a message that an object of its type has at least. */
const LEAST_SHARE = 0.5;
const MAX_DEPTH = 4;

/** Returns the message with the most keys of an object, of messages that declare all of its keys. */
export function existingMessage(shape: Shape, candidates: readonly DescMessage[]): DescMessage | undefined {
  if (shape.keys.size < 2) return undefined;
  const fitting = candidates.filter((each) => {
    const least = Math.max(2, LEAST_SHARE * each.fields.length);
    return shape.keys.size >= least && holdsObject(each, shape, 0);
  });
  const [best] = fitting.toSorted((a, b) => a.fields.length - b.fields.length);
  return best;
}

function holdsObject(message: DescMessage, { keys }: Shape, depth: number): boolean {
  if (depth > MAX_DEPTH || getOption(message, messageRules).tuple) return false;
  const byKey = new Map<string, DescField>();
  for (const field of message.fields) {
    const { name, in: place, from, unknown, when } = getOption(field, fieldRules);
    const isOdd = from.length > 0 || unknown || when.length > 0 || place !== 0;
    const hasLayout = field.oneof !== undefined && getOption(field.oneof, oneofRules).layout !== 0;
    if (isOdd || hasLayout) return false;
    for (const key of name === "" ? [field.name, field.jsonName] : [name]) byKey.set(key, field);
  }
  return [...keys].every(([key, shape]) => {
    const field = byKey.get(key);
    return field !== undefined && holds(field, shape, depth);
  });
}

function holds(field: DescField, shape: Shape, depth: number): boolean {
  const { types, items, keys } = shape;
  const [type] = types;
  if (type === undefined) return true;
  if (types.length > 1) return false;
  if (field.fieldKind === "list") {
    return type === "array" && (items === undefined || (items.nulls === 0 && holdsOne(field, items, depth)));
  }
  if (field.fieldKind === "map") {
    return type === "object" && [...keys.values()].every((each) => holdsOne(field, each, depth));
  }
  return holdsOne(field, shape, depth);
}

/** Reports whether a field, its items or its map values can be the values of a shape. */
function holdsOne(field: DescField, shape: Shape, depth: number): boolean {
  const [type, ...others] = shape.types;
  if (others.length > 0) return false;
  const { message, enum: values } = field;
  if (message !== undefined) {
    if (/^google\.protobuf\.(?:Struct|Value)$/.test(message.typeName)) {
      return type === "object" || message.name === "Value";
    }
    if (message.typeName === "google.protobuf.Timestamp") return holdsTime(field, shape);
    return type === "object" && !/^google\./.test(message.typeName) && holdsObject(message, shape, depth + 1);
  }
  if (values !== undefined) {
    const spellings = new Set(
      values.values.flatMap((value) => {
        const { wire, aliases } = getOption(value, enum_value);
        return [wire === "" ? value.name : wire, ...aliases];
      }),
    );
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
