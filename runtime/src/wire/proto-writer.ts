import { isJsonObject, type JsonObject, type JsonValue, jsonTypeOf } from "../adapter/json.ts";
import { BytesWriter } from "./bytes-writer.ts";
import type { Drift } from "./drift.ts";
import type { EnumTable } from "./enum-table.ts";
import { isRounded, rawJson } from "./raw-json.ts";
import { booleanFrom, bytesFromBase64, numberFromText, specialDouble } from "./scalar.ts";
import { instantFrom, type TimeRule } from "./timestamp.ts";

/** A generated decoder: writes the fields of one message from a JSON object. */
export type Decode = (json: JsonObject, out: ProtoWriter) => void;

/** The scalar methods of the writer, as lists and maps name them. */
export type ScalarKind =
  | "string"
  | "bytes"
  | "bool"
  | "double"
  | "float"
  | "int32"
  | "sint32"
  | "uint32"
  | "fixed32"
  | "sfixed32"
  | "int64"
  | "sint64"
  | "uint64"
  | "fixed64"
  | "sfixed64";

/** A value of an answer as generated code reads it: `json.blog_name ?? json.blogName`. */
export type Field = JsonValue | undefined;

const DEFAULT_MAX_DEPTH = 100;
const MAX_DRIFTS = 100;
const MAX_GOT = 40;
const INT32_MIN = -0x8000_0000;
const INT32_MAX = 0x7fff_ffff;
const UINT32_MAX = 0xffff_ffff;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Thrown where an answer is nested deeper than `maxDepth`. */
export class JsonTooDeep extends Error {
  readonly path: string;

  constructor(path: string, maxDepth: number) {
    super(`the answer is nested more than ${maxDepth} levels deep at ${path}`);
    this.name = "JsonTooDeep";
    this.path = path;
  }
}

/**
 * Turns parsed JSON straight into protobuf bytes. Generated decoders call one method for each field, with the
 * field's number, the JSON value and the key for reports.
 *
 * It is lenient and lossless: `null` and absent keys write nothing, sensible values of a wrong type are coerced,
 * others are left out, and both are noted in `drifts`. A 64-bit field that meets a number which JSON.parse has
 * rounded sets `inexact`: the caller then parses exactly and decodes again.
 */
export class ProtoWriter extends BytesWriter {
  /** What was not as declared; at most 100 are kept. */
  drifts: Drift[] = [];
  /** Whether a rounded integer was met where it counts. */
  inexact = false;
  private exact = false;
  private readonly maxDepth: number;
  private path: Array<string | number> = [];
  private depth = 0;

  /** @param maxDepth how deep messages may be nested; 100 by default, as in protobuf implementations */
  constructor(maxDepth: number = DEFAULT_MAX_DEPTH) {
    super();
    this.maxDepth = maxDepth;
  }

  /**
   * Empties the writer for another message.
   *
   * @param exact whether the JSON that comes now was parsed exactly: a rounded number is then reported as drift,
   *   since parsing once more would not help
   */
  reset(exact = false): void {
    this.clear();
    this.exact = exact;
    this.drifts = [];
    this.inexact = false;
    this.path = [];
    this.depth = 0;
  }

  /** The message written so far, as bytes of its own. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.copy();
  }

  // ---- messages -------------------------------------------------------------------------------------------

  /** Decodes the root of a payload, which has no key and no tag. */
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
      if (isJsonObject(item)) guess = this.nested(field, item, decode, guess);
      else this.drop("", "object", item);
      this.path.pop();
    }
    this.path.pop();
  }

  /** A message field whose decoder takes any JSON value: `unwrap`ped lists, google.protobuf.Value. */
  wrapped(
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

  private nested(field: number, object: JsonObject, decode: Decode, guess: number): number {
    this.enter();
    this.tag(field, 2);
    const start = this.open(guess);
    decode(object, this);
    const size = this.close(start, guess);
    this.depth--;
    return size;
  }

  private enter(): void {
    if (++this.depth > this.maxDepth) throw new JsonTooDeep(this.pathText(""), this.maxDepth);
  }

  private objectOf(value: Field, key: string): JsonObject | undefined {
    if (isJsonObject(value)) return value;
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return this.objectOfArray(value, key);
    if (value === false || value === "") this.coerce(key, "object", value);
    else this.drop(key, "object", value);
    return undefined;
  }

  private objectOfArray(items: readonly JsonValue[], key: string): JsonObject | undefined {
    const [first] = items;
    if (items.length === 0) {
      this.coerce(key, "object", items);
      return {};
    }
    if (items.length > 1 || !isJsonObject(first)) this.drop(key, "object", items);
    else this.coerce(key, "object", items);
    return isJsonObject(first) ? first : undefined;
  }

  private itemsOf(value: JsonValue, key: string): readonly JsonValue[] {
    if (Array.isArray(value)) return value;
    if (isJsonObject(value)) {
      this.coerce(key, "array", value);
      return Object.keys(value).length === 0 ? [] : [value];
    }
    if (value === false || value === "") {
      this.coerce(key, "array", value);
      return [];
    }
    this.coerce(key, "array", value);
    return [value];
  }

  // ---- lists and maps of scalars ----------------------------------------------------------------------------

  /** A repeated scalar field. A single value counts as a list of one. */
  list(field: number, value: Field, key: string, kind: ScalarKind): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    this.path.push(key);
    for (let index = 0; index < items.length; index++) {
      this.path.push(index);
      this[kind](field, items[index], "");
      this.path.pop();
    }
    this.path.pop();
  }

  /** A repeated enum field. */
  enums(field: number, value: Field, key: string, table: EnumTable): void {
    if (value === undefined || value === null) return;
    const items = this.itemsOf(value, key);
    this.path.push(key);
    for (let index = 0; index < items.length; index++) {
      this.path.push(index);
      this.enum(field, items[index], "", table);
      this.path.pop();
    }
    this.path.pop();
  }

  /** A map field: `entry` writes field 2 of the entry, its value. */
  map(
    field: number,
    value: Field,
    key: string,
    keyKind: ScalarKind,
    entry: (value: JsonValue | undefined, key: string, out: ProtoWriter) => void,
  ): void {
    const object = this.objectOf(value, key);
    if (object === undefined) return;
    this.path.push(key);
    for (const name of Object.keys(object)) {
      this.enter();
      this.tag(field, 2);
      const start = this.open(1);
      this[keyKind](1, name, name);
      entry(object[name], name, this);
      this.close(start, 1);
      this.depth--;
    }
    this.path.pop();
  }

  /** An unknown-key collector, `map<string, string>`: every key of the object that is not known, as raw JSON. */
  unknown(field: number, json: JsonObject, known: ReadonlySet<string>): void {
    for (const key in json) {
      if (known.has(key)) continue;
      const raw = this.rawJson(json[key], key);
      if (raw === undefined) continue;
      this.tag(field, 2);
      const start = this.open(2);
      this.string(1, key, key);
      this.string(2, raw, key);
      this.close(start, 2);
    }
  }

  /** Notes the keys that no field names, where a message does not collect them. */
  unknownKeys(json: JsonObject, known: ReadonlySet<string>): void {
    for (const key in json) {
      if (!known.has(key)) this.note("unknown", key, "no such key", json[key]);
    }
  }

  /** A string field that takes a value of any type as raw JSON. */
  raw(field: number, value: Field, key: string): void {
    if (value === undefined) return;
    const raw = this.rawJson(value, key);
    if (raw !== undefined) this.string(field, raw, key);
  }

  private rawJson(value: Field, key: string): string | undefined {
    const { text, rounded } = rawJson(value ?? null);
    if (rounded) this.rounded(key, "a number that can be kept", value);
    if (text === undefined) this.drop(key, "JSON that is not too deep", value);
    return text;
  }

  // ---- scalars ----------------------------------------------------------------------------------------------

  string(field: number, value: Field, key: string): void {
    if (typeof value === "string") {
      this.tag(field, 2);
      if (!this.utf8(value)) this.coerce(key, "valid Unicode", value);
    } else if (typeof value === "number") {
      if (isRounded(value)) this.rounded(key, "string", value);
      else this.coercedString(field, String(value), key, value);
    } else if (typeof value === "bigint" || value === true) {
      this.coercedString(field, String(value), key, value);
    } else if (value === false) {
      this.coerce(key, "string", value);
    } else if (value !== undefined && value !== null) {
      this.drop(key, "string", value);
    }
  }

  private coercedString(field: number, text: string, key: string, value: JsonValue): void {
    this.tag(field, 2);
    this.utf8(text);
    this.coerce(key, "string", value);
  }

  /** Bytes, written as base64. */
  bytes(field: number, value: Field, key: string): void {
    if (value === undefined || value === null) return;
    const bytes = typeof value === "string" ? bytesFromBase64(value) : undefined;
    if (bytes === undefined) return this.drop(key, "base64", value);
    this.rawBytes(field, bytes);
  }

  /** Bytes as they are. */
  rawBytes(field: number, bytes: Uint8Array | undefined): void {
    if (bytes === undefined) return;
    this.tag(field, 2);
    this.delimited(bytes);
  }

  bool(field: number, value: Field, key: string): void {
    if (value === undefined || value === null) return;
    let bool = value;
    if (typeof bool !== "boolean") {
      const read = booleanFrom(value);
      if (read === undefined) return this.drop(key, "bool", value);
      this.coerce(key, "bool", value);
      bool = read;
    }
    this.tag(field, 0);
    this.varint32(bool ? 1 : 0);
  }

  double(field: number, value: Field, key: string): void {
    const number = this.doubleOf(value, key);
    if (number === undefined) return;
    this.tag(field, 1);
    this.float64(number);
  }

  float(field: number, value: Field, key: string): void {
    const number = this.doubleOf(value, key);
    if (number === undefined) return;
    this.tag(field, 5);
    this.float32(number);
  }

  private doubleOf(value: Field, key: string): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number") return value;
    if (typeof value === "bigint") return Number(value);
    if (typeof value === "string") {
      const special = specialDouble(value);
      if (special !== undefined) return special;
      const read = numberFromText(value);
      if (read !== undefined) {
        this.coerce(key, "double", value);
        return Number(read);
      }
    }
    this.drop(key, "double", value);
    return undefined;
  }

  int32(field: number, value: Field, key: string): void {
    const number = this.int32Of(value, key, "int32", INT32_MIN, INT32_MAX);
    if (number === undefined) return;
    this.tag(field, 0);
    this.varintSafe(number);
  }

  sint32(field: number, value: Field, key: string): void {
    const number = this.int32Of(value, key, "sint32", INT32_MIN, INT32_MAX);
    if (number === undefined) return;
    this.tag(field, 0);
    this.varint32((number << 1) ^ (number >> 31));
  }

  uint32(field: number, value: Field, key: string): void {
    const number = this.int32Of(value, key, "uint32", 0, UINT32_MAX);
    if (number === undefined) return;
    this.tag(field, 0);
    this.varint32(number);
  }

  fixed32(field: number, value: Field, key: string): void {
    const number = this.int32Of(value, key, "fixed32", 0, UINT32_MAX);
    if (number === undefined) return;
    this.tag(field, 5);
    this.fixed32Bits(number);
  }

  sfixed32(field: number, value: Field, key: string): void {
    const number = this.int32Of(value, key, "sfixed32", INT32_MIN, INT32_MAX);
    if (number === undefined) return;
    this.tag(field, 5);
    this.fixed32Bits(number);
  }

  private int32Of(value: Field, key: string, kind: string, min: number, max: number): number | undefined {
    if (value === undefined || value === null) return undefined;
    let number = value;
    if (typeof number === "string") {
      const read = numberFromText(number);
      if (read === undefined) return this.dropped(key, kind, value);
      this.coerce(key, kind, value);
      number = read;
    }
    if (typeof number !== "number" || !(number >= min && number <= max))
      return this.dropped(key, kind, value);
    return Number.isInteger(number) ? number : this.floored(number, key, kind);
  }

  private floored(number: number, key: string, kind: string): number {
    this.coerce(key, kind, number);
    return Math.floor(number);
  }

  int64(field: number, value: Field, key: string): void {
    const number = this.int64Of(value, key, "int64", INT64_MIN, INT64_MAX);
    if (number === undefined) return;
    this.tag(field, 0);
    if (typeof number === "bigint") this.varintBig(number);
    else this.varintSafe(number);
  }

  sint64(field: number, value: Field, key: string): void {
    const number = this.int64Of(value, key, "sint64", INT64_MIN, INT64_MAX);
    if (number === undefined) return;
    const big = BigInt(number);
    this.tag(field, 0);
    this.varintBig((big << 1n) ^ (big >> 63n));
  }

  uint64(field: number, value: Field, key: string): void {
    const number = this.int64Of(value, key, "uint64", 0n, UINT64_MAX);
    if (number === undefined) return;
    this.tag(field, 0);
    if (typeof number === "bigint") this.varintBig(number);
    else this.varintSafe(number);
  }

  fixed64(field: number, value: Field, key: string): void {
    const number = this.int64Of(value, key, "fixed64", 0n, UINT64_MAX);
    if (number === undefined) return;
    this.tag(field, 1);
    this.fixed64Bits(BigInt(number));
  }

  sfixed64(field: number, value: Field, key: string): void {
    const number = this.int64Of(value, key, "sfixed64", INT64_MIN, INT64_MAX);
    if (number === undefined) return;
    this.tag(field, 1);
    this.fixed64Bits(BigInt(number));
  }

  /** A safe integer or a bigint in range. Strings are as good as numbers here: ProtoJSON writes 64 bits so. */
  private int64Of(
    value: Field,
    key: string,
    kind: string,
    min: bigint,
    max: bigint,
  ): number | bigint | undefined {
    if (value === undefined || value === null) return undefined;
    const number = typeof value === "string" ? numberFromText(value) : value;
    if (typeof number === "number") {
      if (Number.isSafeInteger(number))
        return number >= 0 || min < 0n ? number : this.dropped(key, kind, value);
      if (isRounded(number) && typeof value === "number") return this.rounded(key, kind, value);
      if (Math.abs(number) <= Number.MAX_SAFE_INTEGER && (number >= 0 || min < 0n))
        return this.floored(number, key, kind);
    } else if (typeof number === "bigint" && number >= min && number <= max) {
      return number;
    }
    return this.dropped(key, kind, value);
  }

  /** An enum field. A spelling or number that the enum does not have is left out. */
  enum(field: number, value: Field, key: string, table: EnumTable): void {
    if (value === undefined || value === null) return;
    const number = enumNumber(value, table);
    if (number === undefined) return this.drop(key, `one of ${table.name}`, value);
    this.tag(field, 0);
    this.varintSafe(number);
  }

  /** google.protobuf.Timestamp. The text of `none` stands for no time. */
  time(field: number, value: Field, key: string, rule: TimeRule, none?: string): void {
    if (value === undefined || value === null) return;
    if (none !== undefined && String(value) === none) return;
    if (typeof value === "number" && isRounded(value)) return this.rounded(key, "time", value);
    const instant = instantFrom(value, rule);
    if (instant === undefined)
      return this.drop(key, `time in ${typeof rule === "object" ? rule.pattern : rule}`, value);
    this.tag(field, 2);
    const start = this.open(1);
    this.int64(1, instant.seconds, key);
    if (instant.nanos !== 0) this.int32(2, instant.nanos, key);
    this.close(start, 1);
  }

  // ---- drift --------------------------------------------------------------------------------------------------

  /** Notes a value that was understood although it is not as declared. */
  coerce(key: string, expected: string, value: Field): void {
    this.note("coerced", key, expected, value);
  }

  /** Notes a value that is left out. */
  drop(key: string, expected: string, value: Field): void {
    this.note("dropped", key, expected, value);
  }

  private dropped(key: string, expected: string, value: Field): undefined {
    this.note("dropped", key, expected, value);
    return undefined;
  }

  private rounded(key: string, expected: string, value: Field): undefined {
    this.inexact = true;
    if (this.exact) this.note("dropped", key, expected, value);
    return undefined;
  }

  private note(kind: Drift["kind"], key: string, expected: string, value: Field): void {
    if (this.drifts.length >= MAX_DRIFTS) return;
    this.drifts.push({ path: this.pathText(key), expected, got: describe(value), kind });
  }

  private pathText(key: string): string {
    let text = "";
    for (const step of key === "" ? this.path : [...this.path, key]) {
      if (typeof step === "number") text += `[${step}]`;
      else if (step !== "") text += text === "" ? step : `.${step}`;
    }
    return text === "" ? "(root)" : text;
  }
}

function enumNumber(value: JsonValue, table: EnumTable): number | undefined {
  if (typeof value === "string") return table.numberOf(value);
  if (typeof value !== "number" && typeof value !== "boolean") return undefined;
  const spelled = table.numberOf(String(value));
  if (spelled !== undefined) return spelled;
  return typeof value === "number" && table.has(value) ? value : undefined;
}

function describe(value: Field): string {
  const type = jsonTypeOf(value);
  if (type !== "string" && type !== "number" && type !== "boolean") return type;
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return `${type} ${text.length > MAX_GOT ? `${text.slice(0, MAX_GOT)}…` : text}`;
}
