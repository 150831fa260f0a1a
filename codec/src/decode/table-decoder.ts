/** Compiles a table, on its first use, into the function that decodes its message. */
import { type JsonObject, type JsonValue, jsonTypeOf } from "../json/json.ts";
import { exclusiveMembers, firstKey, keysOnPaths, knownKeys, memberKeys, reportedAs } from "../table/keys.ts";
import {
  type Entry,
  type FieldEntry,
  isField,
  type Key,
  type MessageTable,
  type TupleEntry,
  type ValueEntry,
} from "../table/message-table.ts";
import { EmptyTable, ListValueTable, StructTable, ValueTable } from "../table/well-known.ts";
import { decodeAny } from "./any.ts";
import { choiceDecoder } from "./choice-decoder.ts";
import { decodeEmpty, decodeListValue, decodeStruct, decodeValue } from "./dynamic.ts";
import { fieldReader } from "./field-reader.ts";
import type { FieldRow, LayoutEntry } from "./field-table.ts";
import { type FieldScope, kindWriter } from "./kind-writer.ts";
import { type Decode, type DecodeItems, FieldTable, type ProtoWriter, type Reading } from "./proto-writer.ts";

const READINGS = new WeakMap<MessageTable, Reading>([
  [StructTable, { from: "object", decode: decodeStruct }],
  [EmptyTable, { from: "object", decode: decodeEmpty }],
  [ListValueTable, { from: "value", decode: decodeListValue }],
  [ValueTable, { from: "null", decode: decodeValue }],
]);

/** Returns how the message of a table is decoded. */
export function readingOf(table: MessageTable): Reading {
  const known = READINGS.get(table);
  if (known !== undefined) return known;
  const reading = newReading(table.entries);
  READINGS.set(table, reading);
  return reading;
}

function newReading(entries: readonly Entry[]): Reading {
  for (const entry of entries) {
    if ("any" in entry) return { from: "object", decode: decodeAny(entry.any) };
    if ("value" in entry) return { from: "value", decode: valueDecoder(entry) };
    if ("tuple" in entry) return { from: "array", decode: tupleDecoder(entry) };
  }
  return { from: "object", decode: objectDecoder(entries) };
}

function objectDecoder(entries: readonly Entry[]): Decode {
  const fields: FieldTable = new FieldTable(() => layoutOf(entries, fields), keysOnPaths(entries));
  const collector = entries.find((entry) => "unknown" in entry);
  if (collector === undefined) {
    // computed on first use, since a message may contain itself
    let ofMembers: ReadonlySet<string> | undefined;
    return (json, out) => {
      out.fields(json, fields);
      ofMembers ??= memberKeys(entries);
      out.unknownKeys(json, fields, ofMembers);
    };
  }
  const { unknown, struct } = collector;
  return (json, out) => {
    out.fields(json, fields);
    if (struct === true) {
      out.unknownStruct(unknown, json, fields, decodeStruct);
    } else {
      out.unknown(unknown, json, fields);
    }
  };
}

/** Returns the decoder of a message whose JSON is a value of one of several types. */
function valueDecoder({ value: name, when, otherwise }: ValueEntry) {
  const writerOf = ([number, kind]: FieldEntry) => kindWriter(kind, number, { readingOf });
  // computed on first use, since a message may contain itself
  let byType: ReadonlyMap<string, ReturnType<typeof writerOf>> | undefined;
  let last: ReturnType<typeof writerOf> | undefined;
  return (value: JsonValue, out: ProtoWriter) => {
    if (byType === undefined) {
      byType = new Map(when.toReversed().map(({ type, as }) => [type, writerOf(as)]));
      last = otherwise && writerOf(otherwise);
    }
    const write = byType.get(jsonTypeOf(value)) ?? last;
    if (write === undefined) {
      out.unknownMember("", `a known ${name}`, value);
    } else {
      write(value, out, "");
    }
  };
}

/** Returns the decoder of a message whose JSON is an array of its fields. */
function tupleDecoder({ tuple, rest }: TupleEntry): DecodeItems {
  const writerOf = ([number, kind]: FieldEntry) => kindWriter(kind, number, { readingOf });
  // computed on first use, since a message may contain itself
  let writers: ReadonlyArray<ReturnType<typeof writerOf>> | undefined;
  let writeRest: ReturnType<typeof writerOf> | undefined;
  return (items, out) => {
    writers ??= tuple.map(writerOf);
    writeRest ??= rest && writerOf(rest);
    writers.forEach((write, index) => {
      write(items[index], out, `[${index}]`);
    });
    out.furtherItems(items, writers.length, writeRest);
  };
}

type Row = FieldRow<ProtoWriter>;

function layoutOf(entries: readonly Entry[], fields: FieldTable): Array<LayoutEntry<ProtoWriter>> {
  const scope = { readingOf, collects: entries.some((entry) => "unknown" in entry) };
  const read = new Set<string>();
  const rows = (field: FieldEntry, isMember = false): readonly Row[] => {
    const own = rowsOf(field, { ...scope, isMember });
    for (const [, ...keys] of own) for (const key of keys) read.add(key);
    return own;
  };
  const layout = entries.flatMap((entry): ReadonlyArray<LayoutEntry<ProtoWriter>> => {
    if (isField(entry)) return rows(entry);
    if ("oneOf" in entry) {
      const members = exclusiveMembers(entry, entries);
      const of = entry.oneOf.flatMap((field) => rows(field, members.length > 1));
      return members.length > 1 ? [{ onlyFirst: members, of }] : of;
    }
    if (!("choice" in entry)) return [];
    return [{ choose: choiceDecoder(entry, entries, fields, scope) }];
  });
  const known = [...knownKeys(entries)].filter((key) => !read.has(key));
  return known.length === 0 ? layout : [...layout, { known }];
}

function rowsOf([number, kind, ...keys]: FieldEntry, scope: FieldScope): Row[] {
  if (keys.every((key) => typeof key === "string")) {
    return [[kindWriter(kind, number, scope), ...keys]];
  }
  const write = kindWriter(kind, number, { ...scope, collects: false });
  const name = reportedAs(keys);
  const first = [...new Set(keys.map(firstKey))];
  if (keys.every(isOneKey)) return [[(value, out) => write(value, out, name), ...first]];
  const read = fieldReader(keys);
  return [[(_value, out, _key, json: JsonObject) => write(read(json, out.misstep), out, name), ...first]];
}

function isOneKey(key: Key): boolean {
  return typeof key === "string" || !/[.']/.test(key.path);
}
