import type { JsonObject } from "../adapter/json.ts";

/**
 * Reads an `application/x-www-form-urlencoded` body as an object of strings. Of a name that comes twice the
 * first value counts; malformed percent-encoding stays as it is.
 */
export function parseForm(text: string): JsonObject {
  const pairs = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text.trim())) if (!pairs.has(name)) pairs.set(name, value);
  return Object.fromEntries(pairs);
}
