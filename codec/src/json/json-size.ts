import type { JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";

/** The number of string characters that count as one value. */
const CHARACTERS_PER_VALUE = 64;

/**
 * Counts the nested values of a value. A long string counts as several values. Stops slightly above `limit`.
 */
export function sizeUpTo(root: JsonValue | undefined, limit: number): number {
  if (typeof root !== "object") return 1 + textSize(root);
  let size = 1;
  const open: Array<JsonValue | undefined> = [root];
  for (let value = open.pop(); value !== undefined && size <= limit; value = open.pop()) {
    if (typeof value !== "object" || value === null || value instanceof NumberText) continue;
    for (const key in value) {
      const item = (value as Readonly<Record<string, JsonValue | undefined>>)[key];
      size += 1 + textSize(item);
      if (size > limit) return size;
      if (typeof item === "object" && item !== null) open.push(item);
    }
  }
  return size;
}

function textSize(value: JsonValue | undefined): number {
  return typeof value === "string" ? Math.floor(value.length / CHARACTERS_PER_VALUE) : 0;
}
