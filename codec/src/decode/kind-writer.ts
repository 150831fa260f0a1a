/** Compiles a kind into the function that writes values of that kind. */
import { isJsonObject, type JsonValue } from "../json/json.ts";
import type { EnumTable as Enum } from "../table/enum-table.ts";
import { EnumTable } from "../table/enum-table.ts";
import { sharedKeys } from "../table/keys.ts";
import type { ScalarKind } from "../table/kinds.ts";
import { type FieldEntry, type Kind, MessageTable } from "../table/message-table.ts";
import { StructTable } from "../table/well-known.ts";
import type { Field } from "./difference-writer.ts";
import type { ProtoWriter, Reading } from "./proto-writer.ts";
import { hasEmptyParts, splitCommas, splitNumbers } from "./read.ts";
import { wordReader } from "./word-reader.ts";

/** Writes a value; reports name it by `key`. */
export type WriteValue = (value: Field, out: ProtoWriter, key: string) => void;

/** The context of a field, in addition to its entry. */
export interface FieldScope {
  readonly readingOf: (table: MessageTable) => Reading;
  /** Whether the message collects unknown keys and unknown enum names. */
  readonly collects?: boolean;
  /** Whether the field is one of several members of a oneof, selected by their keys. */
  readonly isMember?: boolean;
}

const NOTHING = new Uint8Array(0);

// a separate function for each kind: a method looked up by name is slower than a direct call
const SCALARS: Readonly<Record<ScalarKind, (field: number) => WriteValue>> = {
  string: (field) => (value, out, key) => out.string(field, value, key),
  bytes: (field) => (value, out, key) => out.bytes(field, value, key),
  textBytes: (field) => (value, out, key) => out.textBytes(field, value, key),
  bool: (field) => (value, out, key) => out.bool(field, value, key),
  double: (field) => (value, out, key) => out.double(field, value, key),
  float: (field) => (value, out, key) => out.float(field, value, key),
  int32: (field) => (value, out, key) => out.int32(field, value, key),
  sint32: (field) => (value, out, key) => out.sint32(field, value, key),
  uint32: (field) => (value, out, key) => out.uint32(field, value, key),
  fixed32: (field) => (value, out, key) => out.fixed32(field, value, key),
  sfixed32: (field) => (value, out, key) => out.sfixed32(field, value, key),
  int64: (field) => (value, out, key) => out.int64(field, value, key),
  sint64: (field) => (value, out, key) => out.sint64(field, value, key),
  uint64: (field) => (value, out, key) => out.uint64(field, value, key),
  fixed64: (field) => (value, out, key) => out.fixed64(field, value, key),
  sfixed64: (field) => (value, out, key) => out.sfixed64(field, value, key),
};

/** Reports whether a kind is a scalar. */
export function isScalarKind(kind: Kind): kind is ScalarKind {
  return typeof kind === "string" && Object.hasOwn(SCALARS, kind);
}

/** Returns the function that writes values of a kind into a field. */
export function kindWriter(kind: Kind, field: number, scope: FieldScope): WriteValue {
  if (kind === "duration") return (value, out, key) => out.duration(field, value, key);
  if (kind === "fieldMask") return (value, out, key) => out.fieldMask(field, value, key);
  if (typeof kind === "string") return SCALARS[kind](field);
  if (kind instanceof EnumTable) return enumWriter(kind, field, scope);
  if (kind instanceof MessageTable) return messageWriter(scope.readingOf(kind), field);
  if ("list" in kind) return listWriter(kind, field, scope);
  if ("map" in kind) return mapWriter(kind, field, scope);
  if ("time" in kind) {
    const { time, none } = kind;
    return (value, out, key) => out.time(field, value, key, time, none);
  }
  if ("duration" in kind) return (value, out, key) => out.duration(field, value, key, kind.duration);
  if ("fieldMask" in kind) return (value, out, key) => out.fieldMask(field, value, key, kind.fieldMask);
  if ("wrapper" in kind) return (value, out, key) => out.wrapper(field, value, key, kind.wrapper);
  if ("unwrap" in kind) return unwrapWriter(kind, field, scope);
  if ("group" in kind) return groupWriter(scope.readingOf(kind.group), field);
  if ("open" in kind) return (value, out, key) => out.openEnum(field, value, key, kind.open);
  if ("nullable" in kind) return nullableWriter(kind.nullable, field, scope);
  if ("absent" in kind) return absentWriter(kind, field, scope);
  if ("jsonText" in kind) return jsonTextWriter(kind.jsonText, field, scope);
  const write = kindWriter(kind.loose, field, scope);
  return (value, out, key) => {
    write(value, out.loosely(key), key);
    // another field may have the same key
    out.strictly();
  };
}

/** Returns the function that writes the zero value of a kind, with its tag. */
export function zeroWriter(kind: Kind, field: number): (out: ProtoWriter) => void {
  if (kind instanceof EnumTable) return (out) => out.nullValue(field);
  if (isScalarKind(kind)) {
    const write = SCALARS[kind](field);
    const zero = kind === "bool" ? false : isText(kind) ? "" : 0;
    return (out) => write(zero, out, "");
  }
  if (typeof kind === "object" && !(kind instanceof MessageTable)) {
    if ("loose" in kind) return zeroWriter(kind.loose, field);
    if ("absent" in kind) return zeroWriter(kind.of, field);
    if ("jsonText" in kind) return zeroWriter(kind.jsonText, field);
    if ("open" in kind || "nullable" in kind) return (out) => out.nullValue(field);
    if ("group" in kind) return (out) => out.group(field, {}, "", () => {});
  }
  return (out) => out.rawBytes(field, NOTHING);
}

function isText(kind: ScalarKind): boolean {
  return kind === "string" || kind === "bytes" || kind === "textBytes";
}

function absentWriter(
  { absent, of }: Extract<Kind, { readonly absent: readonly string[] }>,
  field: number,
  scope: FieldScope,
): WriteValue {
  const write = kindWriter(of, field, scope);
  const read = wordReader(absent);
  return (value, out, key) => {
    const word = read(value, out, key);
    if (word === undefined || !absent.includes(word)) write(value, out, key);
  };
}

function jsonTextWriter(kind: Kind, field: number, scope: FieldScope): WriteValue {
  const write = kindWriter(kind, field, scope);
  return (value, out, key) => {
    if (value === undefined || value === null) return;
    if (typeof value !== "string") out.coerce(key, "JSON as text", value);
    const json = typeof value === "string" ? out.jsonIn(value, key) : value;
    if (json !== undefined) write(json, out, key);
  };
}

function enumWriter(table: Enum, field: number, { collects }: FieldScope): WriteValue {
  return collects === true
    ? (value, out, key) => out.collectedEnum(field, value, key, table)
    : (value, out, key) => out.enum(field, value, key, table);
}

function nullableWriter(table: Enum, field: number, { isMember }: FieldScope): WriteValue {
  return isMember === true
    ? (value, out, key) => out.nullMember(field, value, key, table)
    : (value, out, key) => out.nullEnum(field, value, key, table);
}

function messageWriter({ from, decode }: Reading, field: number): WriteValue {
  switch (from) {
    case "object":
      return (value, out, key) => out.message(field, value, key, decode);
    case "array":
      return (value, out, key) => out.tuple(field, value, key, decode);
    case "value":
      return (value, out, key) => out.wrapped(field, value, key, decode);
    case "null":
      return (value, out, key) => out.nullable(field, value, key, decode);
  }
}

function groupWriter({ from, decode }: Reading, field: number): WriteValue {
  if (from !== "object") throw new Error("expected the table of an object as a group");
  return (value, out, key) => out.group(field, value, key, decode);
}

function unwrapWriter(
  { unwrap: [number, kind], orNull }: Extract<Kind, { readonly unwrap: FieldEntry }>,
  field: number,
  scope: FieldScope,
): WriteValue {
  const write = kindWriter(kind, number, { readingOf: scope.readingOf });
  const writeInner = (value: JsonValue, inner: ProtoWriter) => write(value, inner, "");
  return orNull === true
    ? (value, out, key) => out.optional(field, value, key, writeInner)
    : (value, out, key) => out.wrapped(field, value, key, writeInner);
}

function listWriter(
  { list, commas }: Extract<Kind, { readonly list: Kind }>,
  field: number,
  scope: FieldScope,
): WriteValue {
  const write = itemsWriter(list, field, scope);
  if (commas === undefined) return write;
  const split = isScalarKind(list) && list !== "string" ? splitNumbers : splitCommas;
  return (value, out, key) => {
    if (hasEmptyParts(value)) out.coerce(key, "a list without empty items", value);
    write(split(value), out, key);
  };
}

function itemsWriter(item: Kind, field: number, scope: FieldScope): WriteValue {
  if (isScalarKind(item)) return (value, out, key) => out.list(field, value, key, item);
  if (item instanceof EnumTable) {
    const kept = scope.collects === true ? "collected" : undefined;
    return (value, out, key) => out.enums(field, value, key, item, kept);
  }
  if (typeof item === "object" && "open" in item) {
    return (value, out, key) => out.enums(field, value, key, item.open, "elsewhere");
  }
  if (item instanceof MessageTable) {
    const { from, decode } = scope.readingOf(item);
    if (from === "object") {
      return ofItems(item, (value, out, key) => out.messages(field, value, key, decode));
    }
  }
  const write = kindWriter(item, field, { readingOf: scope.readingOf });
  const writeEach: WriteValue = (value, out, key) => out.each(value, key, write);
  return typeof item === "object" && "group" in item ? ofItems(item.group, writeEach) : writeEach;
}

/**
 * Accepts an object in place of a list. An object with a key that an item reads is the only item; `{}` is an
 * empty list. Any other object is lost.
 */
function ofItems(item: MessageTable, write: WriteValue): WriteValue {
  if (item === StructTable || item.entries.some((entry) => "any" in entry)) return write;
  let keys: ReadonlySet<string> | undefined;
  return (value, out, key) => {
    if (isJsonObject(value)) {
      keys ??= sharedKeys(item);
      const own = Object.keys(value);
      if (own.length > 0 && !own.some((each) => keys?.has(each))) {
        out.drop(key, "array", value);
        return;
      }
    }
    write(value, out, key);
  };
}

function mapWriter(
  { map, keys = "string" }: Extract<Kind, { readonly map: Kind }>,
  field: number,
  { readingOf }: FieldScope,
): WriteValue {
  const write = kindWriter(map, 2, { readingOf });
  return (value, out, key) =>
    out.map(field, value, key, keys, (each, name, entry) => write(each, entry, name));
}
