/** Decoders of google.protobuf.Struct, Value, ListValue and Empty (google/protobuf/struct.proto). */
import { isJsonObject, type JsonObject, type JsonValue, plainNumber } from "../json/json.ts";
import { NumberText } from "../json/number-text.ts";
import { isRounded } from "../json/raw-json.ts";
import type { ProtoWriter } from "./proto-writer.ts";

/** Decodes google.protobuf.Empty: nothing is read. */
export function decodeEmpty(): void {}

/** Decodes google.protobuf.Struct. Its numbers are doubles, so integers beyond 2^53 become strings. */
export function decodeStruct(json: JsonObject, out: ProtoWriter): void {
  out.map(1, json, "", "string", (value, key, entry) => {
    if (value !== undefined) entry.nullable(2, value, key, decodeValue);
  });
  out.allKeys(json);
}

/** Decodes google.protobuf.Value. */
export function decodeValue(given: JsonValue, out: ProtoWriter): void {
  const value = plainNumber(given);
  if (value === null) {
    out.nullValue(1);
  } else if (typeof value === "bigint" || (typeof value === "number" && isRounded(value))) {
    bigNumber(given, value, out);
  } else if (typeof value === "number") {
    out.double(2, value, "");
  } else if (typeof value === "string") {
    out.string(3, value, "");
  } else if (typeof value === "boolean") {
    out.bool(4, value, "");
  } else if (isJsonObject(value)) {
    out.message(5, value, "", decodeStruct);
  } else {
    out.wrapped(6, value, "", decodeListValue);
  }
}

/**
 * A number beyond 2^53. One with a fraction or an exponent was a double when it was written. An integer that
 * is written as such is text, also where a double has its very value: of the IDs of a list,
 * some would be numbers otherwise.
 */
function bigNumber(given: JsonValue, value: number | bigint, out: ProtoWriter): void {
  const double = Number(value);
  if (given instanceof NumberText && Number.isFinite(double)) {
    out.double(2, double, "");
  } else if (!out.bigText(3, value)) {
    // a Value without a kind is none, and cannot be printed as JSON
    out.nullValue(1);
  }
}

/** Decodes google.protobuf.ListValue. null is an empty one, a single value one of a single item. */
export function decodeListValue(value: JsonValue, out: ProtoWriter): void {
  if (value === null) return;
  if (!Array.isArray(value)) out.coerce("", "array", value);
  const items = Array.isArray(value) ? value : [value];
  out.each(items, "", (item) => out.nullable(1, item, "", decodeValue));
}
