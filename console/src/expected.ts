import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import type { Element } from "./element.ts";
import { isObject } from "./json.ts";

/** The ranges of integers. */
const RANGES = {
  [ScalarType.INT32]: [-(2n ** 31n), 2n ** 31n - 1n],
  [ScalarType.SINT32]: [-(2n ** 31n), 2n ** 31n - 1n],
  [ScalarType.SFIXED32]: [-(2n ** 31n), 2n ** 31n - 1n],
  [ScalarType.UINT32]: [0n, 2n ** 32n - 1n],
  [ScalarType.FIXED32]: [0n, 2n ** 32n - 1n],
  [ScalarType.INT64]: [-(2n ** 63n), 2n ** 63n - 1n],
  [ScalarType.SINT64]: [-(2n ** 63n), 2n ** 63n - 1n],
  [ScalarType.SFIXED64]: [-(2n ** 63n), 2n ** 63n - 1n],
  [ScalarType.UINT64]: [0n, 2n ** 64n - 1n],
  [ScalarType.FIXED64]: [0n, 2n ** 64n - 1n],
} as const;

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

const DURATION = /^(-?\d+)(?:\.\d{1,9})?s$/;

/** The largest duration, in seconds. */
const MAX_SECONDS = 315_576_000_000n;

/** The largest number of a float. */
const MAX_FLOAT = 3.4028234663852886e38;

/**
 * Returns what a value should be, e.g. `a text`; undefined if it has the right type. Messages with fields are
 * not checked.
 */
export function expectedFor(element: Element, value: JsonValue): string | undefined {
  if (element.message !== undefined) return expectedForMessage(element.message.typeName, element, value);
  if (element.enum !== undefined) {
    const { values, typeName } = element.enum;
    if (typeName === "google.protobuf.NullValue" && value === null) return undefined;
    const isKnown = values.some(({ name }) => name === value);
    return isKnown || isInteger(value, RANGES[ScalarType.INT32]) ? undefined : "a value of the list";
  }
  return element.scalar === undefined ? undefined : expectedForScalar(element.scalar, value);
}

function expectedForScalar(scalar: ScalarType, value: JsonValue): string | undefined {
  const isText = typeof value === "string";
  switch (scalar) {
    case ScalarType.STRING:
      return isText ? undefined : "a text";
    case ScalarType.BOOL:
      return typeof value === "boolean" ? undefined : "true or false";
    case ScalarType.BYTES:
      return isText && isBase64(value) ? undefined : "base64";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return isFloating(value, scalar === ScalarType.FLOAT ? MAX_FLOAT : Number.MAX_VALUE)
        ? undefined
        : "a number";
    default: {
      const [low, high] = RANGES[scalar];
      const number = integerOf(value, high > RANGES[ScalarType.UINT32][1]);
      return number !== undefined && number >= low && number <= high
        ? undefined
        : `an integer from ${low} to ${high}`;
    }
  }
}

function expectedForMessage(type: string, { message }: Element, value: JsonValue): string | undefined {
  switch (type) {
    case "google.protobuf.Timestamp":
      return isTimestamp(value) ? undefined : "a time, e.g. 2026-01-31T12:00:00Z";
    case "google.protobuf.Duration":
      return isDuration(value) ? undefined : "a duration in seconds, e.g. 1.5s";
    case "google.protobuf.FieldMask":
      return typeof value === "string" && !value.includes("_")
        ? undefined
        : "names of fields, e.g. title,authorName";
    case "google.protobuf.Struct":
    case "google.protobuf.Any":
      return isObject(value) ? undefined : "an object";
    case "google.protobuf.ListValue":
      return Array.isArray(value) ? undefined : "a list";
    case "google.protobuf.Value":
      return undefined;
    default: {
      const [inner] = message?.fields ?? [];
      return inner?.fieldKind === "scalar" ? expectedForScalar(inner.scalar, value) : undefined;
    }
  }
}

function isInteger(value: JsonValue, [low, high]: readonly [bigint, bigint]): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}

/** Returns the integer that a number or a text stands for, as protobuf-es reads it. */
function integerOf(value: JsonValue, isBig: boolean): bigint | undefined {
  const isBlank = typeof value === "string" && (value === "" || (!isBig && value.trim() !== value));
  if (isBlank || (typeof value !== "string" && typeof value !== "number")) return undefined;
  try {
    return BigInt(isBig ? value : Number(value));
  } catch {
    return undefined;
  }
}

function isFloating(value: JsonValue, max: number): boolean {
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return true;
  if (typeof value === "string" && (value.trim() !== value || value === "")) return false;
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  return Math.abs(number) <= max;
}

function isBase64(text: string): boolean {
  try {
    base64Decode(text);
    return true;
  } catch {
    return false;
  }
}

function isTimestamp(value: JsonValue): boolean {
  const [, time = "", zone = ""] = (typeof value === "string" && TIMESTAMP.exec(value)) || [];
  const ms = Date.parse(time + zone);
  return ms >= Date.parse("0001-01-01T00:00:00Z") && ms <= Date.parse("9999-12-31T23:59:59Z");
}

function isDuration(value: JsonValue): boolean {
  const [, seconds] = (typeof value === "string" && DURATION.exec(value)) || [];
  if (seconds === undefined) return false;
  const whole = BigInt(seconds);
  return whole >= -MAX_SECONDS && whole <= MAX_SECONDS;
}
