/** What generated code calls to write request messages as JSON, queries and headers. */
import { type JsonObject as ProtoJsonObject, toJson } from "@bufbuild/protobuf";
import {
  type Duration,
  type FieldMask,
  type ListValue,
  ListValueSchema,
  type Struct,
  StructSchema,
  type Timestamp,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { isJsonObject, type JsonValue } from "../adapter/json.ts";
import { parseJsonExactly } from "../answer/parse-json.ts";
import { invalidParameter } from "../request/invalid-value.ts";
import type { TimeRule } from "./timestamp.ts";

/** A JSON object under construction. */
export interface JsonRecord {
  [key: string]: JsonValue;
}

const UNITS = { seconds: 0, millis: 3, micros: 6 } as const;

/** A time as an upstream wants it: a count since 1970, or text. A count that is not whole keeps its fraction. */
export function timeText(time: Timestamp, rule: TimeRule): string {
  if (rule === "iso8601") return isoText(time);
  if (typeof rule === "object") return patternText(time, rule.pattern);
  const digits = UNITS[rule];
  const nanos = String(time.nanos).padStart(9, "0");
  const fraction = nanos.slice(digits).replace(/0+$/, "");
  const whole = `${time.seconds}${nanos.slice(0, digits)}`.replace(/^(-?)0+(?=\d)/, "$1");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** A time as a JSON value: counts are numbers. */
export function timeJson(time: Timestamp, rule: TimeRule): JsonValue {
  const text = timeText(time, rule);
  return typeof rule === "object" || rule === "iso8601" ? text : Number(text);
}

function isoText(time: Timestamp): string {
  const text = dateOf(time).toISOString().slice(0, 19);
  const fraction =
    time.nanos === 0
      ? ""
      : `.${String(time.nanos)
          .padStart(9, "0")
          .replace(/(000){1,2}$/, "")}`;
  return `${text}${fraction}Z`;
}

function patternText(time: Timestamp, pattern: string): string {
  const iso = dateOf(time).toISOString();
  return pattern
    .replace("YYYY", iso.slice(0, 4))
    .replace("MM", iso.slice(5, 7))
    .replace("DD", iso.slice(8, 10))
    .replace("HH", iso.slice(11, 13))
    .replace("mm", iso.slice(14, 16))
    .replace("ss", iso.slice(17, 19));
}

function dateOf(time: Timestamp): Date {
  return new Date(Number(time.seconds) * 1_000);
}

/** google.protobuf.Duration as ProtoJSON writes it: `3.5s`. */
export function durationText(duration: Duration): string {
  const negative = duration.seconds < 0n || duration.nanos < 0;
  const seconds = duration.seconds < 0n ? -duration.seconds : duration.seconds;
  const fraction = String(Math.abs(duration.nanos)).padStart(9, "0").replace(/0+$/, "");
  return `${negative ? "-" : ""}${seconds}${fraction === "" ? "" : `.${fraction}`}s`;
}

/** google.protobuf.FieldMask as ProtoJSON writes it: lowerCamel paths joined by commas. */
export function fieldMaskText(mask: FieldMask): string {
  return mask.paths
    .map((path) => path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
    .join(",");
}

/**
 * A list as one text with commas, for a JSON body.
 *
 * @throws ConnectError INVALID_ARGUMENT where a value has a comma itself
 */
export function joinCommas(values: ReadonlyArray<string | number | bigint | boolean>, field: string): string {
  const items = values.map(String);
  if (items.some((item) => item.includes(","))) {
    throw invalidParameter(field, "body", {
      problem: "a value has a comma, which separates values here",
      remedy: "send values without commas",
    });
  }
  return items.join(",");
}

/** Bytes as base64 (RFC 4648 section 4). */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Bytes as base64 with the URL-safe alphabet and without padding (RFC 4648 section 5). */
export function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url");
}

/** Raw bytes as the text of a JSON string: they are taken for UTF-8. */
export function rawText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Takes a value that stands in the path out of a body: the dotted path from the body to it. */
export function omit(json: JsonRecord, path: string): void {
  const steps = path.split(".");
  const last = steps.pop();
  let holder: JsonValue | undefined = json;
  for (const step of steps) holder = isJsonObject(holder) ? holder[step] : undefined;
  if (last !== undefined && isJsonObject(holder)) delete (holder as JsonRecord)[last];
}

/** A double as a JSON value: ProtoJSON's names for what JSON numbers cannot say. */
export function doubleJson(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}

/** A google.protobuf.Struct that protobuf-es holds as plain JSON. */
export function plainJson(value: ProtoJsonObject): JsonValue {
  return value;
}

/** A google.protobuf.Struct that protobuf-es holds as a message. */
export function structJson(value: Struct): JsonValue {
  return toJson(StructSchema, value);
}

/** A google.protobuf.Value. */
export function valueJson(value: Value): JsonValue {
  return toJson(ValueSchema, value);
}

/** A google.protobuf.ListValue. */
export function listJson(value: ListValue): JsonValue {
  return toJson(ListValueSchema, value);
}

/** The collected unknown keys of a message, parsed, so that they are sent back as they came. */
export function rawEntries(entries: Readonly<Record<string, string>>): JsonRecord {
  const json: JsonRecord = {};
  for (const [key, text] of Object.entries(entries)) json[key] = parseJsonExactly(text) ?? null;
  return json;
}
