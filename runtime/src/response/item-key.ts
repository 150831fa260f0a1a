import { createHash } from "node:crypto";
import type { JsonValue } from "connect-rest-codec/internal";
import { stringifyJson, valueAt } from "connect-rest-codec/internal";
import type { Page } from "./page.ts";

/** The longest key, in characters. */
export const MAX_KEY_LENGTH = 128;

/**
 * What tells an item of a list from others: the value of its key, or all that it holds where it has none.
 * Thousands are remembered, so that long ones become a hash.
 */
export function itemKey(key: JsonValue | undefined, item: JsonValue | undefined): string {
  if (key === undefined || key === null || typeof key === "object") {
    return hashOf(stringifyJson(item ?? null));
  }
  const text = String(key);
  return text.length > MAX_KEY_LENGTH ? hashOf(text) : text;
}

/**
 * The keys of the first `most` items of a page, in their order.
 *
 * @param rule has the path of the key in an item
 */
export function keysOf(rule: { readonly key: string }, page: Page, most?: number): string[] {
  return page.items.slice(0, most).map((item, index) => {
    const value = page.pick(({ items }) => valueAt(items[index], rule.key));
    return itemKey(value === "" ? undefined : value, item);
  });
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
