/** What becomes of a value that stands where an object should be. Fields and paths have the same rules. */
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * How a value that is no object departs from one: what holds nothing, and a list of one object, is converted;
 * of any other list the first object stays, and the rest is lost.
 */
export function departureOf(value: JsonValue): "converted" | "lost" {
  if (!Array.isArray(value)) return value === false || value === "" ? "converted" : "lost";
  return value.length === 0 || (value.length === 1 && isJsonObject(value[0])) ? "converted" : "lost";
}

/** The object that a value is, or the first one of a list that begins with it. */
export function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const first: JsonValue | undefined = Array.isArray(value) ? value[0] : undefined;
  return isJsonObject(first) ? first : undefined;
}
