import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { NumberText } from "../json/number-text.ts";
import { isRounded, rawJson } from "../json/raw-json.ts";
import type { Field } from "./difference-writer.ts";
import type { EnumTable } from "./enum-table.ts";
import { MapKeys } from "./map-keys.ts";
import { type Condition, comparesRounded, holds, wordOf } from "./read.ts";
import { type ScalarKind, ScalarWriter } from "./scalar-writer.ts";

/** A generated decoder: writes the fields of one message from a JSON object. */
export type Decode = (json: JsonObject, out: ProtoWriter) => void;

/** A generated decoder of a message that may have any JSON type. */
export type DecodeValue = (value: JsonValue, out: ProtoWriter) => void;

/** The members of a oneof that have keys of their own: their field numbers, each with the paths that it is read from. */
export type OneofMembers = ReadonlyArray<readonly [field: number, ...paths: string[]]>;

const DEFAULT_MAX_DEPTH = 100;
const NOTHING: readonly string[] = [];
const NO_ENTRIES: ReadonlyArray<readonly [string, Field]> = [];
const NO_KEYS: ReadonlySet<string> = new Set();

/** Thrown where a response is nested deeper than `maxDepth`. */
export class JsonTooDeep extends Error {
  readonly path: string;

  constructor(path: string, maxDepth: number) {
    super(`more than ${maxDepth} levels at ${path}`);
    this.name = "JsonTooDeep";
    this.path = path;
  }
}

/** Thrown where a payload cannot be what it should be, so that nothing of it can be read. */
export class WrongShape extends Error {
  readonly expected: "object" | "array";
  readonly got: JsonValue;

  constructor(expected: "object" | "array", got: JsonValue) {
    super(`expected an ${expected}`);
    this.name = "WrongShape";
    this.expected = expected;
    this.got = got;
  }
}

/**
 * Turns parsed JSON straight into protobuf bytes. Generated decoders call one method for each field, with the
 * field's number, the JSON value and the key for reports.
 *
 * It is lenient and lossless: `null` and absent keys write nothing, sensible values of a wrong type are coerced,
 * others are left out, and both are noted in `differences`. A 64-bit field that meets a number which JSON.parse has
 * rounded sets `inexact`: the caller then parses exactly and decodes again.
 */
export class ProtoWriter extends ScalarWriter {
  private readonly maxDepth: number;
  private depth = 0;
  private emptyDeclared = false;
  private flattenedDepth = -1;
  private holderKeys: ReadonlySet<string> = NO_KEYS;
  /** For each depth, the keys known to messages that were flattened into the object there. */
  private keysBelow: Array<ReadonlyArray<ReadonlySet<string>> | undefined> = [];
  /** For each depth, values of known keys that the collector of the message there takes. */
  private collectedValues: Array<Array<readonly [key: string, value: JsonValue]> | undefined> = [];

  /** @param maxDepth how many messages may be nested, with the root; 100 by default, which is what protobuf-es reads */
  constructor(maxDepth: number = DEFAULT_MAX_DEPTH) {
    super();
    this.maxDepth = maxDepth;
  }

  /** @param emptyDeclared whether `[]` and `{}` in place of the payload are how the upstream spells an empty one */
  override reset(exact = false, textual = false, emptyDeclared = false): void {
    super.reset(exact, textual);
    this.emptyDeclared = emptyDeclared;
    this.depth = 0;
    this.flattenedDepth = -1;
    this.keysBelow = [];
    if (this.collectedValues.length > 0) this.collectedValues = [];
  }

  /** The message written so far, as bytes of its own. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.copy();
  }

  /**
   * One item of a list as a message of its own: what was written before is dropped, differences are kept. undefined
   * for an item that is no object.
   *
   * @param list the path of the list, for reports
   */
  item(
    value: Field,
    list: string,
    index: number,
    decode: Decode,
    isValue = false,
  ): Uint8Array<ArrayBuffer> | undefined {
    this.clear();
    this.path = [list, index];
    const isRead = isValue ? value !== undefined && value !== null : isJsonObject(value);
    if (isRead) {
      decode(value as JsonObject, this);
    } else {
      this.drop("", "object", value);
    }
    this.path = [];
    return isRead && !(isValue && this.length === 0) ? this.copy() : undefined;
  }

  /** Decodes a payload that may have any JSON type; null and undefined are none. */
  value(payload: Field, decode: DecodeValue): void {
    if (payload !== undefined && payload !== null) decode(payload, this);
  }

  /** Decodes the root of a payload, which has no key and no tag. Throws WrongShape for what is no object, and not empty. */
  root(payload: Field, decode: Decode): void {
    const object = this.objectOf(payload, "");
    if (object !== undefined) decode(object, this);
  }

  /** A message field. `[]` counts as an empty object, `[x]` as x, `false` and `""` as absent. */
  message(field: number, value: Field, key: string, decode: Decode): void {
    if (value === undefined || value === null) return;
    const object = this.objectOf(value, key);
    if (object === undefined) return;
    this.path.push(key);
    this.nested(field, object, decode, 1);
    this.path.pop();
  }

  /** A repeated message field. A single object counts as a list of one, `{}` as an empty list. */
  messages(field: number, value: Field, key: string, decode: Decode): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    this.path.push(key);
    let guess = 2;
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      this.path.push(index);
      if (isJsonObject(item)) {
        guess = this.nested(field, item, decode, guess);
      } else {
        this.drop("", "object", item);
      }
      this.path.pop();
    }
    this.path.pop();
  }

  /** A message field whose decoder takes any JSON value, and for which null is none: `unwrap`ped lists. */
  wrapped(
    field: number,
    value: Field,
    key: string,
    decode: (value: JsonValue, out: ProtoWriter) => void,
  ): void {
    if (value !== null) this.nullable(field, value, key, decode);
  }

  /** Like `wrapped`, for google.protobuf.Value, where null is a value. */
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
   * A message field whose keys stand in the object that holds it, beside those of other fields. The message does
   * not know those others, so that its holder looks for unknown keys in its place.
   */
  flattened(field: number, json: JsonObject, decode: Decode, holderKeys: ReadonlySet<string>): void {
    const { flattenedDepth, holderKeys: outerKeys } = this;
    const isFlattened = this.depth === flattenedDepth;
    this.flattenedDepth = this.depth + 1;
    this.holderKeys = isFlattened ? new Set([...outerKeys, ...holderKeys]) : holderKeys;
    this.nested(field, json, decode, 1);
    this.flattenedDepth = flattenedDepth;
    this.holderKeys = outerKeys;
  }

  /** A message field in the group encoding (editions: DELIMITED). */
  group(field: number, value: Field, key: string, decode: Decode): void {
    if (value === undefined || value === null) return;
    const object = this.objectOf(value, key);
    if (object === undefined) return;
    this.path.push(key);
    this.enter();
    this.tag(field, 3);
    decode(object, this);
    this.tag(field, 4);
    this.depth--;
    this.path.pop();
  }

  /** The items of a list, each written by `write`; for repeated fields that no other method covers. */
  each(value: Field, key: string, write: (item: JsonValue, out: ProtoWriter) => void): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    this.path.push(key);
    for (let index = 0; index < items.length; index++) {
      this.path.push(index);
      const item = items[index] as JsonValue;
      const { length, lostCount } = this;
      write(item, this);
      if (this.length === length) this.leftOut(lostCount, "", "an item", item);
      this.path.pop();
    }
    this.path.pop();
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

  /** google.protobuf.StringValue and its siblings: in JSON the bare value. */
  wrapper(field: number, value: Field, key: string, kind: ScalarKind): void {
    if (value === undefined || value === null) return;
    const before = this.length;
    this.tag(field, 2);
    const start = this.open(1);
    this[kind](1, value, key);
    // a value that was not understood is absent, and not zero
    if (this.length === start + 1) {
      this.rewind(before);
    } else {
      this.close(start, 1);
    }
  }

  private enter(): void {
    if (++this.depth >= this.maxDepth) throw new JsonTooDeep(this.pathText(""), this.maxDepth);
  }

  private objectOf(value: Field, key: string): JsonObject | undefined {
    if (isJsonObject(value)) return value;
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return this.objectOfArray(value, key);
    if (this.isPayload(key)) throw new WrongShape("object", value);
    if (value === false || value === "") {
      this.coerce(key, "object", value);
    } else {
      this.drop(key, "object", value);
    }
    return undefined;
  }

  /** Whether a value stands where the payload is, and not in it. */
  private isPayload(key: string): boolean {
    return key === "" && this.path.every((step) => step === "");
  }

  private objectOfArray(items: readonly JsonValue[], key: string): JsonObject | undefined {
    const [first] = items;
    if (items.length === 0) {
      if (!this.emptyDeclared || !this.isPayload(key)) this.coerce(key, "object", items);
      return {};
    }
    if (this.isPayload(key)) throw new WrongShape("object", items);
    if (items.length > 1 || !isJsonObject(first)) {
      this.drop(key, "object", items);
    } else {
      this.coerce(key, "object", items);
    }
    return isJsonObject(first) ? first : undefined;
  }

  /** @param ofBooleans whether `false` may be an item, and not only a spelling of no list */
  private itemsOf(value: JsonValue, key: string, ofBooleans = false): readonly JsonValue[] {
    if (Array.isArray(value)) return value;
    const isNone = isJsonObject(value) && Object.keys(value).length === 0;
    if (this.isPayload(key)) {
      if (!isNone) throw new WrongShape("array", value);
      if (!this.emptyDeclared) this.coerce(key, "array", value);
      return [];
    }
    if (isJsonObject(value)) {
      this.coerce(key, "array", value);
      return isNone ? [] : [value];
    }
    if ((value === false && !ofBooleans) || value === "") {
      this.coerce(key, "array", value);
      return [];
    }
    if (typeof value === "string") {
      this.coerceText(key, "array", value);
    } else {
      this.coerce(key, "array", value);
    }
    return [value];
  }

  /** A repeated scalar field. A single value counts as a list of one. An item that is left out is lost. */
  list(field: number, value: Field, key: string, kind: ScalarKind): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key, kind === "bool");
    this.path.push(key);
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      this.path.push(index);
      const { length, lostCount } = this;
      this[kind](field, item, "");
      if (this.length === length) this.leftOut(lostCount, "", kind, item);
      this.path.pop();
    }
    this.path.pop();
  }

  /**
   * A repeated enum field.
   *
   * @param kept where values that the enum cannot hold are kept: in another field, or with the unknown keys of the message
   */
  enums(field: number, value: Field, key: string, table: EnumTable, kept?: "elsewhere" | "collected"): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    let isKept = true;
    this.path.push(key);
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      this.path.push(index);
      if (item !== null && kept === undefined) {
        this.enum(field, item, "", table);
      } else if (item === null || !this.knownEnum(field, item, "", table)) {
        isKept = false;
        if (kept === undefined || (item === null && kept === "elsewhere")) {
          this.drop("", `one of ${table.name}`, item);
        } else {
          this.add("", `one of ${table.name}`, item);
        }
      }
      this.path.pop();
    }
    this.path.pop();
    if (!isKept && kept === "collected") this.collectAlso(key, value);
  }

  /** An enum field of a message that collects unknown keys: what the enum cannot hold is collected with them. */
  collectedEnum(field: number, value: Field, key: string, table: EnumTable): void {
    if (value === undefined || value === null || this.knownEnum(field, value, key, table)) return;
    this.add(key, `one of ${table.name}`, value);
    this.collectAlso(key, value);
  }

  private collectAlso(key: string, value: JsonValue): void {
    const others = this.collectedValues[this.depth];
    if (others === undefined) {
      this.collectedValues[this.depth] = [[key, value]];
    } else {
      others.push([key, value]);
    }
  }

  /**
   * A map field: `entry` writes field 2 of the entry, its value. An entry whose key or value is not understood is
   * left out, and so is one that is null, and one whose key is that of an earlier entry in another spelling. All of them
   * are lost.
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
    for (const name of Object.keys(object)) {
      if (isLoose) this.loosely(name);
      const { length: before, lostCount } = this;
      this.tag(field, 2);
      const start = this.open(1);
      const isKey = this.mapKey(name, keys);
      const beforeValue = this.length;
      if (isKey) entry(object[name], name, this);
      if (this.length === beforeValue) {
        this.rewind(before);
        this.leftOut(lostCount, name, "a value", object[name]);
      } else {
        this.close(start, 1);
        keys.add(name);
      }
    }
    if (isLoose) this.strictly();
    this.depth--;
    this.path.pop();
  }

  /** In JSON every key is a string: one that spells a number or a boolean is as declared. */
  private mapKey(name: string, keys: MapKeys): boolean {
    const { kind } = keys;
    const key = keys.read(name);
    if (key === undefined) {
      this.drop(name, `key of type ${kind}`, name);
      return false;
    }
    if (keys.has(name)) {
      this.drop(name, "a key that comes once", name);
      return false;
    }
    const before = this.length;
    this[kind](1, key, name);
    return this.length > before;
  }

  /** An unknown-key collector, `map<string, string>`: every key of the object that is not known, as raw JSON. */
  unknown(field: number, json: JsonObject, known: ReadonlySet<string>): void {
    const keys = new MapKeys("string");
    for (const [key, value] of this.collect(json, known)) {
      const raw = this.rawJson(value, key);
      if (raw === undefined) continue;
      if (keys.has(key)) {
        this.drop(key, "a key that comes once", key);
        continue;
      }
      keys.add(key);
      this.tag(field, 2);
      const start = this.open(2);
      this.string(1, key, key);
      this.string(2, raw, key);
      this.close(start, 2);
    }
  }

  /** An unknown-key collector, google.protobuf.Struct. Integers beyond 2^53 become strings. */
  unknownStruct(field: number, json: JsonObject, known: ReadonlySet<string>, decodeStruct: Decode): void {
    const entries = this.collect(json, known);
    if (entries.length > 0) this.nested(field, Object.fromEntries(entries), decodeStruct, 2);
  }

  /** What the collector of this message takes, so that no holder reports it. */
  private collect(json: JsonObject, known: ReadonlySet<string>): ReadonlyArray<readonly [string, Field]> {
    const keys = this.collectKeys(json, known);
    const further = this.collectedValues[this.depth];
    if (keys.length === 0 && further === undefined) return NO_ENTRIES;
    this.collectedValues[this.depth] = undefined;
    return [...keys.map((key) => [key, json[key]] as const), ...(further ?? NO_ENTRIES)];
  }

  private collectKeys(json: JsonObject, known: ReadonlySet<string>): readonly string[] {
    if (this.depth !== this.flattenedDepth) return this.unknownOf(json, known);
    const { holderKeys } = this;
    const keys = this.unknownOf(json, known).filter((key) => !holderKeys.has(key));
    this.leaveToHolder(new Set([...known, ...keys]));
    return keys;
  }

  /** Notes a discriminator whose value no member of a oneof has; none at all is no difference. */
  unknownMember(key: string, expected: string, value: Field): void {
    if (value !== undefined && value !== null) this.drop(key, expected, value);
  }

  /** A discriminator as text. An integer that JSON.parse has rounded is asked for as it came. */
  word(value: Field, key: string): string | undefined {
    if (typeof value === "number" && isRounded(value)) this.rounded(key, "an exact integer", value);
    return wordOf(value);
  }

  /** Whether an object meets a condition, as `holds` says; the same of the integers that it compares. */
  holds(json: JsonObject, condition: Condition): boolean {
    if (comparesRounded(json, condition)) {
      this.rounded(condition.key, "an exact integer", valueAt(json, condition.key));
    }
    return holds(json, condition);
  }

  /**
   * Sees to it that of the members of a oneof that were written since `start` only the first one stays. The others are lost:
   * whoever reads the message would see the last.
   */
  onlyFirst(start: number, json: JsonObject, members: OneofMembers): void {
    if (present(json, members).length < 2) return;
    const [first, ...others] = this.fieldsFrom(start);
    if (first === undefined || others.length === 0) return;
    this.rewind(first.end);
    for (const [field, ...paths] of members) {
      if (!others.some(({ number }) => number === field)) continue;
      const path = paths.find((each) => isPresent(valueAt(json, each))) ?? "";
      this.drop(path, "no other member of the oneof", valueAt(json, path));
    }
  }

  /** Notes what the keys of those members of a oneof hold that its rules have not chosen: nothing, as it should be, or it is lost. */
  unchosen(start: number, json: JsonObject, members: OneofMembers): void {
    const found = present(json, members);
    if (found.length === 0) return;
    const [chosen] = this.fieldsFrom(start);
    const held = members.find(([field]) => field === chosen?.number)?.slice(1) ?? [];
    for (const path of new Set(found.filter((each) => !held.includes(each)))) {
      const value = valueAt(json, path);
      const at = this.pathText(path);
      // null, [] and {} hold nothing; what was chosen and could not be read is noted
      if (isEmptyContainer(value) || this.differences.some((each) => each.path === at)) continue;
      if (value === false || value === "") {
        this.coerce(path, "no other member of the oneof", value);
      } else {
        this.drop(path, "no other member of the oneof", value);
      }
    }
  }

  /** Notes the keys that no field names, where a message does not collect them. */
  unknownKeys(json: JsonObject, known: ReadonlySet<string>): void {
    if (this.depth === this.flattenedDepth) {
      this.leaveToHolder(known);
      return;
    }
    for (const key of this.unknownOf(json, known)) this.add(key, "no such key", json[key]);
  }

  /** Says that a message holds all keys of its object, so that no holder that it is flattened into reports any. */
  allKeys(json: JsonObject): void {
    if (this.depth === this.flattenedDepth) this.leaveToHolder(new Set(Object.keys(json)));
  }

  private leaveToHolder(known: ReadonlySet<string>): void {
    const below = this.keysBelow[this.depth] ?? [];
    this.keysBelow[this.depth] = undefined;
    this.keysBelow[this.depth - 1] = [...(this.keysBelow[this.depth - 1] ?? []), ...below, known];
  }

  private unknownOf(json: JsonObject, known: ReadonlySet<string>): readonly string[] {
    const below = this.keysBelow[this.depth];
    let unknown: string[] | undefined;
    for (const key in json) {
      if (known.has(key) || below?.some((keys) => keys.has(key)) === true) continue;
      unknown ??= [];
      unknown.push(key);
    }
    if (below !== undefined) this.keysBelow[this.depth] = undefined;
    return unknown ?? NOTHING;
  }

  /** A string field that takes a value of any type as raw JSON. */
  raw(field: number, value: Field, key: string): void {
    if (value === undefined) return;
    const raw = this.rawJson(value, key);
    if (raw !== undefined) this.string(field, raw, key);
  }

  private rawJson(value: Field, key: string): string | undefined {
    const { text, rounded, hasNumbers } = rawJson(value ?? null);
    if (hasNumbers && !this.exact) this.keptNumbers = true;
    if (rounded) this.rounded(key, "a number that can be kept", value);
    if (text === undefined) this.drop(key, "JSON that is not too deep", value);
    return text;
  }
}

function isPresent(value: Field): boolean {
  return value !== undefined && value !== null;
}

/** The paths of members of a oneof with something at them. */
function present(json: JsonObject, members: OneofMembers): readonly string[] {
  let found: string[] | undefined;
  for (const member of members) {
    for (let index = 1; index < member.length; index++) {
      const path = member[index] as string;
      if (!isPresent(valueAt(json, path))) continue;
      found ??= [];
      found.push(path);
    }
  }
  return found ?? NOTHING;
}

function isEmptyContainer(value: Field): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === 0 &&
    !(value instanceof NumberText)
  );
}
