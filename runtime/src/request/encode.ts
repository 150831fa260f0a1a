/** What generated code calls to write request messages as JSON, queries and headers. */
import {
  type JsonObject as ProtoJsonObject,
  type JsonValue as ProtoJsonValue,
  toJson,
} from "@bufbuild/protobuf";
import {
  type Duration,
  type ListValue,
  ListValueSchema,
  type Struct,
  StructSchema,
  type Timestamp,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import {
  type CountUnit,
  countText,
  isJsonObject,
  type JsonValue,
  MAX_SECONDS,
  MIN_SECONDS,
  NANOS_PER_SECOND,
  NumberText,
  ownValue,
  parseJson,
  parseJsonVerbatim,
  type TimeRule,
  UNIT_DIGITS,
  wireNumber,
} from "connect-rest-codec/internal";
import { invalidParameter } from "./invalid-value.ts";
import { withoutCommas } from "./parameters.ts";

const MINUS_ZERO = new NumberText("-0", -0);

/** A JSON object under construction. */
export interface JsonRecord {
  [key: string]: JsonValue;
}

/** Sets a key that JavaScript objects inherit, such as `__proto__`, as one of the object's own. */
export function setOwn(json: JsonRecord, key: string, value: JsonValue): void {
  Object.defineProperty(json, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Sets all keys of another object. */
export function setAll(json: JsonRecord, entries: JsonValue): void {
  if (!isJsonObject(entries)) return;
  for (const [key, value] of Object.entries(entries)) if (value !== undefined) setOwn(json, key, value);
}

/** Adds unknown keys to an object: those that it has are those of declared fields, which win. */
export function addUnknown(json: JsonRecord, entries: Readonly<Record<string, JsonValue>>): void {
  for (const [key, value] of Object.entries(entries)) if (!Object.hasOwn(json, key)) setOwn(json, key, value);
}

/** Where a time goes that is finer than its unit: to the earlier or to the later one. */
export type Rounding = "down" | "up";

/**
 * A time as an upstream wants it: a count since 1970, or text. A count that is not whole keeps its fraction,
 * unless it is rounded.
 *
 * @throws ConnectError INVALID_ARGUMENT where it is outside of the range of google.protobuf.Timestamp
 */
export function timeText(given: Timestamp, rule: TimeRule, rounding?: Rounding): string {
  checkTime(given);
  const time = rounding === undefined ? given : rounded(given, unitOf(rule), rounding);
  checkTime(time, given);
  if (typeof rule === "object") return patternText(time, rule.pattern);
  // the nanos of a time count forwards from its second, also before 1970
  if (isCount(rule)) return countText(time.seconds * NANOS_PER_SECOND + BigInt(time.nanos), rule);
  if (rule === "iso8601") return isoText(time);
  const date = dateOf(time).toUTCString();
  return rule === "http_date" ? date : date.replace("GMT", "+0000");
}

/**
 * A time as a JSON value: counts are numbers, exact where they are whole.
 *
 * @throws ConnectError INVALID_ARGUMENT as `timeText`
 */
export function timeJson(time: Timestamp, rule: TimeRule, rounding?: Rounding): JsonValue {
  const text = timeText(time, rule, rounding);
  if (!isCount(rule)) return text;
  return text.includes(".") ? Number(text) : wireNumber(BigInt(text));
}

function isCount(rule: TimeRule): rule is CountUnit {
  return typeof rule === "string" && rule in UNIT_DIGITS;
}

function unitOf(rule: TimeRule): number {
  return isCount(rule) ? 10 ** (9 - UNIT_DIGITS[rule]) : 1_000_000_000;
}

function rounded(time: Timestamp, unit: number, rounding: Rounding): Timestamp {
  const rest = time.nanos % unit;
  if (rest === 0) return time;
  const nanos = time.nanos - rest + (rounding === "up" ? unit : 0);
  const carried = nanos === 1_000_000_000;
  return { ...time, seconds: carried ? time.seconds + 1n : time.seconds, nanos: carried ? 0 : nanos };
}

function checkTime(time: Timestamp, given: Timestamp = time): void {
  const { seconds, nanos } = time;
  if (seconds >= MIN_SECONDS && seconds <= MAX_SECONDS && nanos >= 0 && nanos < 1_000_000_000) return;
  throw invalidParameter(
    "google.protobuf.Timestamp",
    "request",
    {
      problem: `${seconds} seconds and ${nanos} nanos are not a valid time`,
      remedy: "send one of the years 1 to 9999, with nanos from 0 to 999999999",
    },
    { value: given },
  );
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

/** google.protobuf.Duration as ProtoJSON writes it, with 0, 3, 6 or 9 digits of a fraction: `3.500s`. */
export function durationText(duration: Duration): string {
  const negative = duration.seconds < 0n || duration.nanos < 0;
  const seconds = duration.seconds < 0n ? -duration.seconds : duration.seconds;
  const fraction = String(Math.abs(duration.nanos))
    .padStart(9, "0")
    .replace(/(000){1,3}$/, "");
  return `${negative ? "-" : ""}${seconds}${fraction === "" ? "" : `.${fraction}`}s`;
}

/**
 * A list as one text with commas, for a JSON body.
 *
 * @throws ConnectError INVALID_ARGUMENT where a value has a comma itself
 */
export function joinCommas(values: ReadonlyArray<string | number | bigint | boolean>, field: string): string {
  return withoutCommas(field, "body", values).map(String).join(",");
}

/**
 * A list as the value of one header, with commas.
 *
 * @throws ConnectError INVALID_ARGUMENT where a value has a comma itself
 */
export function joinHeader(values: ReadonlyArray<string | number | bigint | boolean>, field: string): string {
  return withoutCommas(field, "header", values).map(String).join(", ");
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
  // own keys only: `__proto__` would lead to what all objects share
  for (const step of steps) holder = isJsonObject(holder) ? ownValue(holder, step) : undefined;
  if (last !== undefined && isJsonObject(holder)) delete (holder as JsonRecord)[last];
}

/** A double as a JSON value: ProtoJSON's names for what JSON numbers cannot say. */
export function doubleJson(value: number): JsonValue {
  // JSON.stringify would lose its sign
  if (Object.is(value, -0)) return MINUS_ZERO;
  return Number.isFinite(value) ? value : String(value);
}

/**
 * A google.protobuf.Struct that protobuf-es holds as plain JSON.
 *
 * @throws ConnectError INVALID_ARGUMENT for NaN and Infinity, which would become null
 */
export function plainJson(value: ProtoJsonObject): JsonValue {
  if (!hasFiniteNumbers(value)) throw unsayable("google.protobuf.Struct", value);
  return value;
}

function hasFiniteNumbers(value: ProtoJsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(hasFiniteNumbers);
}

/**
 * A google.protobuf.Struct that protobuf-es holds as a message.
 *
 * @throws ConnectError INVALID_ARGUMENT as `valueJson`
 */
export function structJson(value: Struct): JsonValue {
  return sayable("google.protobuf.Struct", value, () => toJson(StructSchema, value));
}

/**
 * A google.protobuf.Value.
 *
 * @throws ConnectError INVALID_ARGUMENT for what JSON cannot say: one without a kind, NaN, Infinity
 */
export function valueJson(value: Value): JsonValue {
  return sayable("google.protobuf.Value", value, () => toJson(ValueSchema, value));
}

/**
 * A google.protobuf.ListValue.
 *
 * @throws ConnectError INVALID_ARGUMENT as `valueJson`
 */
export function listJson(value: ListValue): JsonValue {
  return sayable("google.protobuf.ListValue", value, () => toJson(ListValueSchema, value));
}

function sayable(type: string, value: unknown, write: () => JsonValue): JsonValue {
  try {
    return write();
  } catch {
    throw unsayable(type, value);
  }
}

function unsayable(type: string, value: unknown): Error {
  const problem = {
    problem: "cannot be represented in JSON",
    remedy: "send values with a kind, and finite numbers",
  };
  return invalidParameter(type, "body", problem, { value });
}

/**
 * The collected unknown keys of a message, parsed, so that they are sent back as they came.
 *
 * @throws ConnectError INVALID_ARGUMENT where one is not JSON
 */
export function rawEntries(entries: Readonly<Record<string, string>>): JsonRecord {
  return Object.fromEntries(
    Object.entries(entries).map(([key, text]) => [key, rawEntry(entries, key, text)]),
  );
}

function rawEntry(value: unknown, key: string, text: string): JsonValue {
  try {
    return parseJsonVerbatim(text) ?? parseJson(text) ?? null;
  } catch {
    const problem = { problem: "is not JSON", remedy: "send the text of a JSON value" };
    throw invalidParameter(key, "body", problem, { value, key });
  }
}
