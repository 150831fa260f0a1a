/** Defines how a value in place of an object is treated, for fields and paths alike. */
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * Classifies a value that is not an object. An empty value is converted, and so is a list of one object. Of
 * any other list, the first item is kept if it is an object, and all other items are lost.
 */
export function departureOf(value: JsonValue): "converted" | "lost" {
  if (!Array.isArray(value)) return value === false || value === "" ? "converted" : "lost";
  return value.length === 0 || (value.length === 1 && isJsonObject(value[0])) ? "converted" : "lost";
}

/** Returns the value if it is an object, or the first item of a list if that item is an object. */
export function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const first: JsonValue | undefined = Array.isArray(value) ? value[0] : undefined;
  return isJsonObject(first) ? first : undefined;
}
