/** Decodes google.protobuf.Struct, Value, ListValue and Empty (google/protobuf/struct.proto). */
import { isJsonObject, type JsonObject, type JsonValue, plainNumber } from "../json/json.ts";
import { NumberText } from "../json/number-text.ts";
import { isRounded } from "../json/raw-json.ts";
import type { ProtoWriter } from "./proto-writer.ts";

/** Decodes google.protobuf.Empty, which has no content. */
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
 * Writes a number beyond 2^53. A number with a fraction or exponent stays a number, because the upstream
 * already held it as a double. A plain integer is written as a string even if a double can hold it; otherwise
 * some IDs in a list would be numbers and others strings.
 */
function bigNumber(given: JsonValue, value: number | bigint, out: ProtoWriter): void {
  const double = Number(value);
  if (given instanceof NumberText && Number.isFinite(double)) {
    out.double(2, double, "");
  } else if (!out.bigText(3, value)) {
    // a Value without a kind is invalid and has no JSON form
    out.nullValue(1);
  }
}

/** Decodes google.protobuf.ListValue. null is an empty list, and a single value is a list of one item. */
export function decodeListValue(value: JsonValue, out: ProtoWriter): void {
  if (value === null) return;
  if (!Array.isArray(value)) out.coerce("", "array", value);
  const items = Array.isArray(value) ? value : [value];
  out.each(items, "", (item) => out.nullable(1, item, "", decodeValue));
}
