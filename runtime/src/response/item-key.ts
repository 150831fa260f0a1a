import { createHash } from "node:crypto";
import type { JsonValue, ProtoWriter } from "connect-rest-codec/internal";
import { declaredText, NumberText, stringifyJson, valueAt } from "connect-rest-codec/internal";
import type { Page } from "./page.ts";

/** The maximum length of a key, in characters. */
export const MAX_KEY_LENGTH = 128;

/**
 * Returns the key of an item in a list: the value of its key field, or its whole content if it has no key.
 * Long keys are hashed, since thousands of keys are remembered.
 */
export function itemKey(key: JsonValue | undefined, item: JsonValue | undefined): string {
  if (key === undefined || key === null || (typeof key === "object" && !(key instanceof NumberText))) {
    return hashOf(stringifyJson(item ?? null));
  }
  const text = String(key);
  return text.length > MAX_KEY_LENGTH ? hashOf(text) : text;
}

/**
 * Returns the keys of the first `most` items on a page, in order.
 *
 * @param rule contains the path of the key in an item
 */
export function keysOf(rule: { readonly key: string }, page: Page, most?: number): string[] {
  return page.items.slice(0, most).map((item, index) => {
    const value = page.pick(({ items }) => valueAt(items[index], rule.key));
    return itemKey(value === "" ? undefined : value, item);
  });
}

/**
 * Notes the items on a page that have the same key as an earlier item, and are therefore lost. If an item is
 * listed twice without differences, nothing is lost.
 *
 * @param keys the keys of the first items on the page
 */
export function noteSharedKeys(page: Page, keys: readonly string[], out: ProtoWriter): void {
  const firsts = new Map<string, number>();
  // encodes each item only once, even if many share its key
  const texts = new Map<number, string>();
  for (const [index, key] of keys.entries()) {
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, index);
      continue;
    }
    const text = texts.get(first) ?? exactText(page, first);
    texts.set(first, text);
    if (text === exactText(page, index)) continue;
    out.drop(`${declaredText(page.path)}[${index}]`, "items with keys of their own", page.items[index]);
  }
}

/** Encodes an item with exact integers beyond 2^53. */
function exactText(page: Page, index: number): string {
  const text = stringifyJson(page.items[index] ?? null);
  return /\d{16}|\de\+/.test(text) ? stringifyJson(page.exactly().items[index] ?? null) : text;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
