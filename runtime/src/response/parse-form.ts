import type { JsonObject } from "../json/json.ts";

/**
 * Reads an `application/x-www-form-urlencoded` body as an object of strings; a name that comes more than once has
 * an array of them. Malformed percent-encoding stays as it is.
 */
export function parseForm(text: string): JsonObject {
  const pairs = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text.trim())) {
    const known = pairs.get(name);
    if (known === undefined) pairs.set(name, value);
    else if (typeof known === "string") pairs.set(name, [known, value]);
    else known.push(value);
  }
  return Object.fromEntries(pairs);
}
