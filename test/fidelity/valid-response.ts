import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { isTime, isTuple, keyOf, rulesOf, TimeUnit } from "./oracle.ts";

type Json = { [key: string]: unknown };

/** A value of a valid response that a test may change. */
export interface Place {
  readonly holder: Json;
  readonly key: string;
  /** All fields that read the value's key. */
  readonly fields: readonly DescField[];
  /** The path in reports. */
  readonly path: string;
}

/**
 * Returns a valid JSON object for a message type, with a value for each key whose format the descriptors
 * determine.
 */
export function validObject(desc: DescMessage, path: string, places: Place[], depth = 0): Json {
  const json: Json = {};
  for (const [key, fields] of fieldsByKey(desc)) {
    const [field] = fields;
    if (field === undefined || key === "__proto__" || !isPlain(fields)) continue;
    const here = path === "" ? key : `${path}.${key}`;
    const value = jsonOf(field, here, places, depth);
    if (value === undefined) continue;
    json[key] = value;
    places.push({ holder: json, key, fields, path: here });
  }
  return json;
}

function fieldsByKey({ fields }: DescMessage): ReadonlyMap<string, readonly DescField[]> {
  const found = new Map<string, DescField[]>();
  for (const field of fields) {
    if (rulesOf(field)?.unknown === true || (rulesOf(field)?.from.length ?? 0) > 0) continue;
    const key = keyOf(field);
    found.set(key, [...(found.get(key) ?? []), field]);
  }
  return found;
}

/**
 * Reports whether only one field, or only an enum and its companion field, reads the key, in plain notation.
 */
function isPlain(fields: readonly DescField[]): boolean {
  const [first, twin, third] = fields;
  const isTwin = twin === undefined || (first?.fieldKind === "enum" && twin.fieldKind === "scalar");
  return third === undefined && isTwin && fields.every(isPlainField);
}

function isPlainField(field: DescField): boolean {
  const rules = rulesOf(field);
  if (
    field.oneof !== undefined ||
    field.parent.fields.some((other) => other.oneof && keyOf(other) === keyOf(field))
  ) {
    return false;
  }
  if (field.parent.oneofs.some((oneof) => hasDiscriminator(oneof, keyOf(field)))) return false;
  return (
    rules === undefined ||
    ((rules.time === undefined || (isTime(field) && timeOf(field) !== undefined)) &&
      !rules.unwrap &&
      !rules.coerce &&
      !rules.jsonText &&
      rules.style === 0 &&
      rules.bytes === 0)
  );
}

/** Returns a time in the field's notation; undefined for notations that this file does not support. */
function timeOf(field: DescField): unknown {
  switch (rulesOf(field)?.time?.unit) {
    case TimeUnit.SECONDS:
      return 1_700_000_000;
    case TimeUnit.MILLIS:
      return 1_700_000_000_000;
    case undefined:
    case TimeUnit.ISO_8601:
      return "2023-11-14T22:13:20Z";
    default:
      return undefined;
  }
}

function hasDiscriminator(oneof: DescMessage["oneofs"][number], key: string): boolean {
  return JSON.stringify(oneof.proto.options ?? {}, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  ).includes(key);
}

function jsonOf(field: DescField, path: string, places: Place[], depth: number): unknown {
  switch (field.fieldKind) {
    case "scalar":
      return scalarOf(field.scalar);
    case "enum":
      return field.enum.values[0]?.name;
    case "message":
      return isTime(field) ? timeOf(field) : objectOf(field.message, path, places, depth);
    case "map":
      return field.mapKind === "scalar" && field.mapKey === ScalarType.STRING
        ? { k: scalarOf(field.scalar) }
        : undefined;
    case "list":
      if (field.listKind === "scalar") return [scalarOf(field.scalar)];
      if (field.listKind === "enum") return [field.enum.values[0]?.name];
      return listOf(objectOf(field.message, `${path}[0]`, places, depth));
  }
}

function listOf(item: unknown): unknown {
  return item === undefined ? undefined : [item];
}

function objectOf(desc: DescMessage, path: string, places: Place[], depth: number): unknown {
  if (desc.typeName.startsWith("google.") || depth > 2) return undefined;
  // The JSON object may also contain the keys of oneof members.
  if (desc.oneofs.length > 0) return undefined;
  return isTuple(desc)
    ? validTuple(desc, path, places, depth + 1)
    : validObject(desc, path, places, depth + 1);
}

/** Returns a valid array for a tuple, with null in the places that this file does not support. */
function validTuple(desc: DescMessage, path: string, places: Place[], depth: number): unknown[] {
  const items: unknown[] = [];
  for (const field of desc.fields.filter((each) => rulesOf(each)?.unknown !== true)) {
    const key = String(field.number - 1);
    const value = isPlainField(field) ? jsonOf(field, `${path}[${key}]`, places, depth) : undefined;
    items.push(value ?? null);
    if (value === undefined) continue;
    places.push({ holder: items as unknown as Json, key, fields: [field], path: `${path}[${key}]` });
  }
  return items;
}

function scalarOf(scalar: ScalarType): unknown {
  switch (scalar) {
    case ScalarType.STRING:
      return "text";
    case ScalarType.BOOL:
      return true;
    case ScalarType.BYTES:
      return "AAAA";
    default:
      return 7;
  }
}
