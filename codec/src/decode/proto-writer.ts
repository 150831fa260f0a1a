import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { stepText } from "../json/path-text.ts";
import type { EnumTable } from "../table/enum-table.ts";
import type { ScalarKind } from "../table/kinds.ts";
import type { Field } from "./difference-writer.ts";
import { FieldTableOf } from "./field-table.ts";
import type { KnownKeys } from "./key-writer.ts";
import { MapKeys } from "./map-keys.ts";
import { RawWriter } from "./raw-writer.ts";
import { enumNumber } from "./scalar-writer.ts";
import { joined, type Segment } from "./segment.ts";

/** Writes the fields of a message from a JSON object. */
export type Decode = (json: JsonObject, out: ProtoWriter) => void;

/** Writes the fields of a message from a JSON value of any type. */
export type DecodeValue = (value: JsonValue, out: ProtoWriter) => void;

/** Writes the fields of a message from the items of an array. */
export type DecodeItems = (items: readonly JsonValue[], out: ProtoWriter) => void;

/** The input from which a message is decoded: an object, an array, any JSON except null, or any JSON. */
export type Reading =
  | { readonly from: "object"; readonly decode: Decode }
  | { readonly from: "array"; readonly decode: DecodeItems }
  | { readonly from: "value" | "null"; readonly decode: DecodeValue };

/** Writes an item of a list; reports name it by its index, so that `key` is empty. */
export type WriteItem = (item: JsonValue, out: ProtoWriter, key: string) => void;

/** An item that was written in parts. */
export interface ItemParts {
  /** The result of `item`. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly segment: Segment;
}

/**
 * Converts parsed JSON directly to protobuf bytes. Decoders call one method for each field, with the field
 * number, the JSON value and the key for reports.
 *
 * The writer is lenient: `null` and absent keys write nothing, plausible values of a wrong type are
 * converted, and other values are dropped. `differences` records both conversions and losses. When a 64-bit
 * field gets a number that JSON.parse has rounded, `inexact` is set: the caller then parses exactly and
 * decodes again.
 */
export class ProtoWriter extends RawWriter {
  /** Returns the message written so far, as a copy. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.copy();
  }

  /**
   * Writes one item of a list as a separate message. Discards the bytes written before, but keeps the
   * differences. Returns undefined for an item that is not the JSON of a message.
   *
   * @param list the path of the list, for reports
   */
  item(value: Field, list: string, index: number, reading: Reading): Uint8Array<ArrayBuffer> | undefined {
    this.clear();
    const isRead = this.readItem(value, list, index, reading);
    return isRead && !isNothing(reading, this.length) ? this.copy() : undefined;
  }

  /** Like `item`, but writes in parts. Also returns the segment of the item, with the differences. */
  *itemInParts(
    value: Field,
    list: string,
    index: number,
    reading: Reading,
  ): Generator<number, ItemParts, undefined> {
    let isRead = false;
    const segment = yield* this.inParts(() => {
      isRead = this.readItem(value, list, index, reading);
    });
    const bytes = yield* joined(segment);
    return { segment, bytes: isRead && !isNothing(reading, bytes.length) ? bytes : undefined };
  }

  private readItem(value: Field, list: string, index: number, { from, decode }: Reading): boolean {
    this.path = [list, index];
    if (!isReadFrom(from, value)) {
      this.drop("", from === "array" ? from : "object", value);
      this.path = [];
      return false;
    }
    decode(value as never, this);
    this.path = [];
    return true;
  }

  /** Empties the writer for a value inside a message at a depth; see `reset`. Reports begin at the value. */
  startValue(depth: number, exact: boolean): void {
    this.reset(exact);
    this.depth = depth;
  }

  /** Decodes a payload that may have any JSON type. null and undefined are empty payloads. */
  value(payload: Field, decode: DecodeValue): void {
    if (payload !== undefined && payload !== null) decode(payload, this);
  }

  /**
   * Decodes the root of a payload, which has neither a key nor a tag. Throws WrongShape for a value that is
   * neither an object nor empty.
   */
  root(payload: Field, decode: Decode): void {
    const object = this.objectOf(payload, "");
    if (object !== undefined) decode(object, this);
  }

  /** Decodes the root of a payload whose JSON is an array. Throws WrongShape for other JSON, except null. */
  rootItems(payload: Field, decode: DecodeItems): void {
    if (payload !== undefined && payload !== null) decode(this.itemsOf(payload, ""), this);
  }

  /** Writes a message field. `[]` counts as an empty object, `[x]` as x, `false` and `""` as absent. */
  message(field: number, value: Field, key: string, decode: Decode): void {
    if (value === undefined || value === null) return;
    const object = this.objectOf(value, key);
    if (object === undefined) return;
    this.path.push(key);
    this.enter();
    this.tag(field, 2);
    const start = this.open(1);
    this.writeEach(1, () => decode(object, this));
    this.close(start, 1);
    this.depth--;
    this.path.pop();
  }

  /**
   * Writes a message field whose JSON is an array. `{}` counts as an empty array, `false` and `""` as absent.
   */
  tuple(field: number, value: Field, key: string, decode: DecodeItems): void {
    const items = this.tupleOf(value, key);
    if (items !== undefined) this.nullable(field, null, key, () => decode(items, this));
  }

  /** Writes the items of an array from an index on, or reports them. */
  furtherItems(items: readonly JsonValue[], start: number, write: WriteItem | undefined): void {
    const further = items.slice(start);
    if (write !== undefined) {
      this.eachItem(further, start, write);
    } else {
      for (const [index, item] of further.entries()) this.additional(`[${start + index}]`, item);
    }
  }

  /** Writes a repeated message field. A single object counts as a list of one item, `{}` as an empty list. */
  messages(field: number, value: Field, key: string, decode: Decode): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    this.path.push(key);
    let guess = 2;
    this.writeEach(items.length, (index) => {
      const item = items[index];
      this.path.push(index);
      if (isJsonObject(item)) {
        guess = this.nested(field, item, decode, guess);
      } else {
        this.drop("", "object", item);
      }
      this.path.pop();
    });
    this.path.pop();
  }

  /**
   * Writes a message field whose decoder accepts any JSON value except null, e.g. an `unwrap` list. null is
   * absent.
   */
  wrapped(
    field: number,
    value: Field,
    key: string,
    decode: (value: JsonValue, out: ProtoWriter) => void,
  ): void {
    if (value !== null) this.nullable(field, value, key, decode);
  }

  /** Like `wrapped`, for google.protobuf.Value: null is a value. */
  nullable(
    field: number,
    value: Field,
    key: string,
    decode: (value: JsonValue, out: ProtoWriter) => void,
  ): void {
    if (value === undefined) return;
    this.path.push(key);
    this.enter();
    this.tag(field, 2);
    const start = this.open(1);
    decode(value, this);
    this.close(start, 1);
    this.depth--;
    this.path.pop();
  }

  /**
   * Writes a message whose JSON is the value of its only field, which null leaves unset. A value that is lost
   * must not look like null, so the message is then absent.
   */
  optional(
    field: number,
    value: Field,
    key: string,
    decode: (value: JsonValue, out: ProtoWriter) => void,
  ): void {
    const { length: before, lostCount } = this;
    let isLost = false;
    this.nullable(field, value, key, (inner) => {
      if (inner === null) return;
      const start = this.length;
      decode(inner, this);
      isLost = this.length === start && this.lostCount > lostCount;
    });
    if (isLost) this.rewind(before);
  }

  /**
   * Writes a message field whose keys are in the object of the outer message, among the keys of other fields.
   * The outer message reports unknown keys, because the flattened message does not know the keys of those
   * other fields.
   */
  flattened(field: number, json: JsonObject, decode: Decode, holderKeys: KnownKeys): void {
    const { flattenedDepth, holderKeys: outerKeys } = this;
    const isFlattened = this.depth === flattenedDepth;
    this.flattenedDepth = this.depth + 1;
    this.holderKeys = isFlattened ? new Set([...outerKeys, ...holderKeys]) : holderKeys;
    this.nested(field, json, decode, 1);
    this.flattenedDepth = flattenedDepth;
    this.holderKeys = outerKeys;
  }

  /** Writes a message field in the group encoding (editions: DELIMITED). */
  group(field: number, value: Field, key: string, decode: Decode): void {
    if (value === undefined || value === null) return;
    const object = this.objectOf(value, key);
    if (object === undefined) return;
    this.path.push(key);
    this.enter();
    this.tag(field, 3);
    this.writeEach(1, () => decode(object, this));
    this.tag(field, 4);
    this.depth--;
    this.path.pop();
  }

  /** Calls `write` for each list item, for repeated fields that no other method covers. */
  each(value: Field, key: string, write: WriteItem): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    this.path.push(key);
    this.eachItem(items, 0, write);
    this.path.pop();
  }

  private eachItem(items: readonly JsonValue[], start: number, write: WriteItem): void {
    this.writeEach(items.length, (index) => {
      this.path.push(start + index);
      const item = items[index] as JsonValue;
      const { length, lostCount, convertedCount } = this;
      write(item, this, "");
      if (this.length === length) this.leftOut(lostCount, convertedCount, "", "an item", item);
      this.path.pop();
    });
  }

  private nested(field: number, object: JsonObject, decode: Decode, guess: number): number {
    this.enter();
    this.tag(field, 2);
    const start = this.open(guess);
    decode(object, this);
    const size = this.close(start, guess);
    this.depth--;
    return size;
  }

  /** Writes google.protobuf.StringValue or another wrapper, whose JSON is the bare value. */
  wrapper(field: number, value: Field, key: string, kind: ScalarKind): void {
    if (value === undefined || value === null) return;
    const before = this.length;
    this.tag(field, 2);
    const start = this.open(1);
    this[kind](1, value, key);
    // an invalid value is absent, not zero
    if (this.length === start + 1) {
      this.rewind(before);
    } else {
      this.close(start, 1);
    }
  }

  /**
   * Writes a repeated scalar field. A single value counts as a list of one item. Dropped items are reported
   * as lost.
   */
  list(field: number, value: Field, key: string, kind: ScalarKind): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key, kind === "bool");
    this.path.push(key);
    this.writeEach(items.length, (index) => {
      const item = items[index];
      this.path.push(index);
      const { length, lostCount, convertedCount } = this;
      this[kind](field, item, "");
      if (this.length === length) this.leftOut(lostCount, convertedCount, "", kind, item);
      this.path.pop();
    });
    this.path.pop();
  }

  /**
   * Writes a repeated enum field.
   *
   * @param kept where values unknown to the enum are kept: in another field, or with the unknown keys of the
   *   message
   */
  enums(field: number, value: Field, key: string, table: EnumTable, kept?: "elsewhere" | "collected"): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    this.path.push(key);
    this.writeEach(items.length, (index) => {
      const item = items[index];
      this.path.push(index);
      if (item !== null && kept === undefined) {
        this.enum(field, item, "", table);
      } else if (item === null || !this.knownEnum(field, item, "", table)) {
        if (kept === undefined || (item === null && kept === "elsewhere")) {
          this.drop("", `one of ${table.name}`, item);
        } else {
          this.add("", `one of ${table.name}`, item);
        }
      }
      this.path.pop();
    });
    this.path.pop();
    // stored before the items are written, since the items may be written after the collector
    if (kept === "collected" && items.some((item) => enumNumber(item, table) === undefined)) {
      this.collectAlso(key, value);
    }
  }

  /**
   * Writes an enum field of a message that collects unknown keys. Values unknown to the enum are also
   * collected.
   */
  collectedEnum(field: number, value: Field, key: string, table: EnumTable): void {
    if (value === undefined || value === null || this.knownEnum(field, value, key, table)) return;
    this.add(key, `one of ${table.name}`, value);
    this.collectAlso(key, value);
  }

  /**
   * Writes a map field. `entry` writes field 2 of the entry, its value. An entry is lost if its key or value
   * is invalid, if its value is null, or if an earlier key represents the same map key.
   */
  map(
    field: number,
    value: Field,
    key: string,
    keyKind: ScalarKind,
    entry: (value: JsonValue | undefined, key: string, out: ProtoWriter) => void,
  ): void {
    const object = this.objectOf(value, key);
    if (object === undefined) return;
    const isLoose = this.isLoose(key);
    this.path.push(key);
    this.enter();
    const keys = new MapKeys(keyKind);
    const names = Object.keys(object);
    this.writeEach(names.length, (index) => {
      const name = names[index] ?? "";
      const step = stepText(name);
      if (isLoose) this.loosely(step);
      const { length: before, lostCount, convertedCount } = this;
      this.tag(field, 2);
      const start = this.open(1);
      const isKey = this.mapKey(name, keys);
      const beforeValue = this.length;
      if (isKey) entry(object[name], step, this);
      if (this.length === beforeValue) {
        this.rewind(before);
        this.leftOut(lostCount, convertedCount, step, "a value", object[name]);
      } else {
        this.close(start, 1);
        keys.add(name);
      }
    });
    if (isLoose) this.strictly();
    this.depth--;
    this.path.pop();
  }

  /**
   * Writes a map key. In JSON every key is a string, so a string that represents a number or a boolean is
   * valid.
   */
  private mapKey(name: string, keys: MapKeys): boolean {
    const { kind } = keys;
    const key = keys.read(name);
    if (key === undefined) {
      this.drop(stepText(name), `key of type ${kind}`, name);
      return false;
    }
    if (keys.has(name)) {
      this.drop(stepText(name), "a key that comes once", name);
      return false;
    }
    const before = this.length;
    this[kind](1, key, stepText(name));
    return this.length > before;
  }

  /** Writes a google.protobuf.Struct that collects unknown keys. Integers beyond 2^53 become strings. */
  unknownStruct(field: number, json: JsonObject, known: KnownKeys, decodeStruct: Decode): void {
    const entries = this.collect(json, known);
    if (entries.length === 0) return;
    const { looseKey } = this;
    // only the message itself may be loose
    this.strictly();
    this.nested(field, Object.fromEntries(entries), decodeStruct, 2);
    this.looseKey = looseKey;
  }
}

/** The fields of a message, indexed by the keys that they are read from, for decoders. */
export class FieldTable extends FieldTableOf<ProtoWriter> {}

/** Reports whether a value has the JSON type from which a message is decoded. */
function isReadFrom(from: Reading["from"], value: Field): boolean {
  if (from === "array") return Array.isArray(value);
  return from === "object" ? isJsonObject(value) : value !== undefined && value !== null;
}

/** Reports whether an item without bytes is missing, because its JSON is the value of a field. */
function isNothing({ from }: Reading, length: number): boolean {
  return length === 0 && (from === "value" || from === "null");
}
