import { createHash } from "node:crypto";
import type { JsonValue } from "connect-rest-codec/internal";
import { stringifyJson } from "connect-rest-codec/internal";

/** The longest key, in characters. */
export const MAX_KEY_LENGTH = 128;

/**
 * What tells an item of a feed from others: the value of its key, or all that it holds where it has none.
 * Thousands are remembered, so that long ones become a hash.
 */
export function itemKey(key: JsonValue | undefined, item: JsonValue | undefined): string {
  if (key === undefined || key === null || typeof key === "object") {
    return hashOf(stringifyJson(item ?? null));
  }
  const text = String(key);
  return text.length > MAX_KEY_LENGTH ? hashOf(text) : text;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
