/** The treatment of a value in place of an object, the same for fields and paths. */
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * Classifies a value that is not an object: an empty value and a list of one object are converted; of any
 * other list the first object stays, and the rest is lost.
 */
export function departureOf(value: JsonValue): "converted" | "lost" {
  if (!Array.isArray(value)) return value === false || value === "" ? "converted" : "lost";
  return value.length === 0 || (value.length === 1 && isJsonObject(value[0])) ? "converted" : "lost";
}

/** Returns the object that a value is, or the first item of a list if it is an object. */
export function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const first: JsonValue | undefined = Array.isArray(value) ? value[0] : undefined;
  return isJsonObject(first) ? first : undefined;
}
