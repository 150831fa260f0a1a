import { NumberText } from "./number-text.ts";

/** A parsed JSON object. Absent keys read as undefined. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/**
 * A parsed JSON value. `bigint` is an integer beyond 2^53 and occurs only in bodies parsed exactly (see
 * `parse-json.ts`); the optimistic parse returns a rounded `number` instead. `NumberText` is any number that
 * JSON.parse would change. Bodies that were not parsed verbatim contain it only for a fraction whose nearest
 * double is an integer.
 */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | NumberText
  | JsonObject
  | readonly JsonValue[];

/** Reports whether a value is a JSON object: not null, and not an array. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** Returns the value of an own key. JavaScript objects also inherit some keys, such as `constructor`. */
export function ownValue(json: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}

/** Converts a number parsed verbatim to the nearest double. Returns other values unchanged. */
export function plainNumber<T>(value: T | NumberText): T | number | bigint {
  return value instanceof NumberText ? value.value : value;
}

/**
 * Converts a number parsed verbatim to a plain number, for readers of integers and words. A fraction whose
 * nearest double is an integer becomes a string. Returns other values unchanged.
 */
export function exactNumber<T>(value: T | NumberText): T | number | bigint | string {
  return value instanceof NumberText ? value.exact : value;
}

/** Returns the JSON type of a value as RFC 8259 names it, for reports. */
export function jsonTypeOf(value: JsonValue | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" || value instanceof NumberText ? "number" : typeof value;
}
