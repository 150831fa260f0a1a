import { exactNumber, type JsonValue, plainNumber } from "../json/json.ts";
import { NumberText } from "../json/number-text.ts";
import { isRounded } from "../json/raw-json.ts";
import type { EnumTable } from "../table/enum-table.ts";
import type { DurationRule, TimeRule } from "../table/kinds.ts";
import { declaredPath, type MaskTable } from "../table/mask-table.ts";
import { DifferenceWriter, type Field } from "./difference-writer.ts";
import { durationFrom, spanFrom } from "./duration.ts";
import { wordOf } from "./read.ts";
import { booleanFrom, bytesFromBase64, integerFromText, numberFromText, specialDouble } from "./scalar.ts";
import { instantFrom } from "./timestamp.ts";

const INT32_MIN = -0x8000_0000;
const INT32_MAX = 0x7fff_ffff;
// the smallest double that rounds to an infinite float: half a step above the largest float
const FLOAT_MAX = 3.402823567797336e38;
const UINT32_MAX = 0xffff_ffff;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** The strings that ProtoJSON accepts as integers of 64 bits. */
const PROTO_JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The maximum length of a time or duration string, in characters. */
const MAX_TIME_TEXT = 1000;
/** The maximum length of a field mask string, in characters. */
const MAX_MASK_TEXT = 64 * 1024;
const UINT64_MAX = 2n ** 64n - 1n;

/**
 * Writes scalar fields from JSON values. Each method takes the field number, the value and the key for
 * reports. null and undefined write nothing.
 */
export class ScalarWriter extends DifferenceWriter {
  string(field: number, value: Field, key: string): void {
    if (typeof value === "string") {
      this.tag(field, 2);
      if (!this.utf8(value)) this.drop(key, "valid Unicode", value);
    } else if (typeof value === "number") {
      if (isRounded(value)) {
        this.rounded(key, "string", value);
      } else {
        if (!this.exact) this.keptNumbers = true;
        this.coercedString(field, String(value), key, value);
      }
    } else if (typeof value === "bigint" || value === true || value instanceof NumberText) {
      this.coercedString(field, String(value), key, value);
    } else if (value === false) {
      this.coerce(key, "string", value);
    } else if (value !== undefined && value !== null) {
      this.drop(key, "string", value);
    }
  }

  /**
   * Writes a number as a string if a double would not preserve its digits, for google.protobuf.Value, whose
   * numbers are doubles. Writes nothing and returns false for a number that JSON.parse has rounded.
   */
  bigText(field: number, value: number | bigint): boolean {
    if (typeof value === "number") {
      this.rounded("", "an exact integer", value);
      return false;
    }
    this.coercedString(field, String(value), "", value, "an integer up to 2^53, or a double");
    return true;
  }

  /** Writes google.protobuf.NullValue. */
  nullValue(field: number): void {
    this.tag(field, 0);
    this.varint32(0);
  }

  /** Writes google.protobuf.NullValue into a field with presence, for which null differs from absence. */
  nullEnum(field: number, value: Field, key: string, table: EnumTable): void {
    if (value === null) {
      this.nullValue(field);
    } else {
      this.enum(field, value, key, table);
    }
  }

  private coercedString(
    field: number,
    text: string,
    key: string,
    value: JsonValue,
    expected = "string",
  ): void {
    this.tag(field, 2);
    this.utf8(text);
    this.coerce(key, expected, value);
  }

  /** Writes bytes from base64. */
  bytes(field: number, value: Field, key: string): void {
    if (value === undefined || value === null) return;
    const bytes = typeof value === "string" ? bytesFromBase64(value) : undefined;
    if (bytes === undefined) {
      this.drop(key, "base64", value);
      return;
    }
    this.rawBytes(field, bytes);
  }

  /** Writes a string as bytes in UTF-8. */
  textBytes(field: number, value: Field, key: string): void {
    if (value === undefined || value === null) return;
    if (typeof value === "string") {
      this.rawBytes(field, Buffer.from(value));
      if (!value.isWellFormed()) this.drop(key, "valid Unicode", value);
    } else {
      this.drop(key, "string", value);
    }
  }

  /** Writes bytes unchanged. */
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
      if (read === undefined) {
        this.drop(key, "bool", value);
        return;
      }
      if (typeof value === "string") {
        this.coerceText(key, "bool", value);
      } else {
        this.coerce(key, "bool", value);
      }
      bool = read;
    }
    this.tag(field, 0);
    this.varint32(bool ? 1 : 0);
  }

  double(field: number, value: Field, key: string): void {
    const number = this.doubleOf(value, key, "double", Number.MAX_VALUE);
    if (number === undefined) return;
    this.tag(field, 1);
    this.float64(number);
  }

  float(field: number, value: Field, key: string): void {
    const number = this.doubleOf(value, key, "float", FLOAT_MAX);
    if (number === undefined) return;
    this.tag(field, 5);
    this.float32(number);
  }

  /** Reads a number whose nearest double or float is finite, or the ProtoJSON name of a non-finite number. */
  private doubleOf(value: Field, key: string, kind: string, max: number): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") {
      const special = specialDouble(value);
      if (special !== undefined) return special;
    }
    const read = typeof value === "string" ? this.numberOf(value, key, kind) : plainNumber(value);
    if (read === undefined) return undefined;
    const number = typeof read === "bigint" ? Number(read) : read;
    if (typeof number !== "number" || Math.abs(number) > max) return this.dropped(key, kind, value);
    if (typeof value === "string") this.coerceText(key, kind, value);
    return number;
  }

  /** Returns the number that a string represents. The empty string is absent. */
  private numberOf(text: string, key: string, kind: string): number | bigint | undefined {
    if (text === "") {
      this.coerceText(key, kind, text);
      return undefined;
    }
    return numberFromText(text) ?? this.dropped(key, kind, text);
  }

  /** Returns the integer that a string represents. The empty string is absent. */
  private integerOf(text: string, key: string, kind: string): number | bigint | undefined {
    if (text === "") {
      this.coerceText(key, kind, text);
      return undefined;
    }
    return integerFromText(text) ?? this.dropped(key, kind, text);
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
    const number = typeof value === "string" ? this.integerOf(value, key, kind) : exactNumber(value);
    if (number === undefined) return undefined;
    if (typeof number !== "number" || !(number >= min && number <= max) || !Number.isInteger(number)) {
      return this.dropped(key, kind, value);
    }
    if (typeof value === "string") this.coerceText(key, kind, value);
    return number;
  }

  int64(field: number, value: Field, key: string): void {
    const number = this.int64Of(value, key, "int64", INT64_MIN, INT64_MAX);
    if (number === undefined) return;
    this.tag(field, 0);
    if (typeof number === "bigint") {
      this.varintBig(number);
    } else {
      this.varintSafe(number);
    }
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
    if (typeof number === "bigint") {
      this.varintBig(number);
    } else {
      this.varintSafe(number);
    }
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

  /**
   * Returns a safe integer, or a bigint in range. Accepts strings: ProtoJSON writes 64-bit integers as
   * strings.
   */
  private int64Of(
    value: Field,
    key: string,
    kind: string,
    min: bigint,
    max: bigint,
  ): number | bigint | undefined {
    if (value === undefined || value === null) return undefined;
    const number = typeof value === "string" ? this.integerOf(value, key, kind) : exactNumber(value);
    if (number === undefined) return undefined;
    if (typeof value === "string" && !PROTO_JSON_NUMBER.test(value)) this.coerceText(key, kind, value);
    if (typeof number === "number") {
      if (Number.isSafeInteger(number)) {
        return number >= 0 || min < 0n ? number : this.dropped(key, kind, value);
      }
      if (isRounded(number) && typeof value === "number") return this.rounded(key, kind, value);
    } else if (typeof number === "bigint" && number >= min && number <= max) {
      return number;
    }
    return this.dropped(key, kind, value);
  }

  /** Writes an enum field. An unknown number of an open enum is kept; an unknown name is dropped. */
  enum(field: number, value: Field, key: string, table: EnumTable): void {
    if (!this.knownEnum(field, value, key, table)) this.drop(key, `one of ${table.name}`, value);
  }

  /**
   * Writes an enum field next to another field that keeps the spelling. An unknown name is dropped, but is
   * not reported as lost.
   */
  openEnum(field: number, value: Field, key: string, table: EnumTable): void {
    if (this.knownEnum(field, value, key, table)) return;
    if (typeof value === "object" && !(value instanceof NumberText)) {
      this.drop(key, `one of ${table.name}`, value);
    } else {
      this.add(key, `one of ${table.name}`, value);
    }
  }

  /**
   * Writes an enum value. Returns false for a value that the enum cannot hold. Writes nothing for an absent
   * value.
   */
  protected knownEnum(field: number, value: Field, key: string, table: EnumTable): boolean {
    if (value === undefined || value === null) return true;
    const number = enumNumber(value, table);
    if (number === undefined) return false;
    if (!table.has(number)) {
      this.add(key, `one of ${table.name}`, value);
    } else if (typeof value === "string" && table.numberOf(value) === undefined) {
      this.coerceText(key, `one of ${table.name}`, value);
    }
    this.tag(field, 0);
    this.varintSafe(number);
    return true;
  }

  /** Writes google.protobuf.Timestamp. The value `none` means no time. */
  time(field: number, value: Field, key: string, rule: TimeRule, none?: string): void {
    if (value === undefined || value === null) return;
    if (none !== undefined && wordOf(value) === none) return;
    if (value === "") {
      this.coerceText(key, "time", value);
      return;
    }
    if (typeof value === "number" && isRounded(value)) {
      this.rounded(key, "time", value);
      return;
    }
    const instant = isLong(value) ? undefined : instantFrom(this.timeOf(value), rule);
    if (instant === undefined) {
      this.drop(key, `time in ${typeof rule === "object" ? rule.pattern : rule}`, value);
      return;
    }
    this.tag(field, 2);
    const start = this.open(1);
    this.int64(1, instant.seconds, key);
    if (instant.nanos !== 0) this.int32(2, instant.nanos, key);
    this.close(start, 1);
    if (instant.isCut) this.coerce(key, "no more digits than nanoseconds have", value);
    if (instant.isLocal === true) this.coerce(key, "a time with a zone", value);
    if (instant.isOtherDay === true) this.coerce(key, "the day of the week of the date", value);
  }

  /**
   * Writes google.protobuf.Duration by its rule; without a rule, from ProtoJSON (`3.5s`) or a number of
   * seconds.
   */
  duration(field: number, value: Field, key: string, rule?: DurationRule): void {
    if (value === undefined || value === null) return;
    if (value === "") {
      this.coerceText(key, "duration", value);
      return;
    }
    if (rule !== undefined && typeof value === "number" && isRounded(value)) {
      this.rounded(key, "duration", value);
      return;
    }
    const span = isLong(value) ? undefined : this.spanOf(value, rule);
    if (span === undefined) {
      this.drop(key, "duration", value);
      return;
    }
    this.tag(field, 2);
    const start = this.open(1);
    this.int64(1, span.seconds, key);
    this.int32(2, span.nanos, key);
    this.close(start, 1);
    if (span.isCut) {
      this.coerce(key, "no more digits than nanoseconds have", value);
    } else if (rule === undefined && !(typeof value === "string" && value.endsWith("s"))) {
      if (typeof value === "string") {
        this.coerceText(key, "duration", value);
      } else {
        this.coerce(key, "duration", value);
      }
    }
  }

  private spanOf(value: JsonValue, rule: DurationRule | undefined) {
    if (rule === undefined && typeof value === "string") return durationFrom(value);
    return spanFrom(this.timeOf(value), rule ?? "seconds");
  }

  /** Returns a number with all of its digits. Requests an exact parse if a double may not hold them. */
  private timeOf(value: JsonValue): JsonValue {
    if (value instanceof NumberText) return value.source;
    if (typeof value === "number" && !this.exact && !Number.isInteger(value)) this.keptNumbers = true;
    return value;
  }

  /**
   * Writes google.protobuf.FieldMask from ProtoJSON: comma-separated paths, with names in lowerCamel or from
   * a table.
   */
  fieldMask(field: number, value: Field, key: string, table?: MaskTable): void {
    if (value === undefined || value === null) return;
    if (typeof value !== "string" || value.length > MAX_MASK_TEXT) {
      this.drop(key, "field mask", value);
      return;
    }
    this.tag(field, 2);
    const start = this.open(1);
    for (const path of value.split(",")) {
      if (path !== "") {
        this.string(1, declaredPath(path, table), key);
      }
    }
    this.close(start, 1);
  }
}

/** Returns the enum number of a value; undefined for a value that the enum cannot hold. */
export function enumNumber(given: JsonValue, table: EnumTable): number | undefined {
  const value = exactNumber(given);
  if (typeof value === "string") return table.numberOf(value) ?? table.numberIn(value);
  if (typeof value !== "number" && typeof value !== "boolean") return undefined;
  const spelled = table.numberOf(String(value));
  if (spelled !== undefined) return spelled;
  return typeof value === "number" && table.holds(value) ? value : undefined;
}

function isLong(value: JsonValue): boolean {
  return typeof value === "string" && value.length > MAX_TIME_TEXT;
}
