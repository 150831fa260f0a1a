import { NumberText } from "./number-text.ts";

/** A parsed JSON object. Keys that are absent read as undefined. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/**
 * A parsed JSON value. `bigint` stands for an integer beyond 2^53 and appears only in bodies that were
 * parsed exactly (see `parse-json.ts`); the optimistic parse yields a rounded `number` in its place.
 * `NumberText` stands for any number that JSON.parse would change,
 * and appears only in bodies that were parsed verbatim.
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

/** Tells a JSON object from null and from an array. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** A key that an object has itself: JavaScript objects inherit some, such as `constructor`. */
export function ownValue(json: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}

/** A number that was parsed verbatim as the number that it is; any other value as it is. */
export function plainNumber<T>(value: T | NumberText): T | number | bigint {
  return value instanceof NumberText ? value.value : value;
}

/**
 * The JSON type of a value as RFC 8259 names it, for messages about differences.
 */
export function jsonTypeOf(value: JsonValue | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" || value instanceof NumberText ? "number" : typeof value;
}
