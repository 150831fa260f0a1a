/** Finding values in a response. */
import { isJsonObject, type JsonObject, type JsonValue, jsonTypeOf, plainNumber } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { isRounded } from "../json/raw-json.ts";
import { integerFromText, numberFromText } from "./scalar.ts";

/** A number or boolean from a header, where everything is text; other text as it is. */
export function fromText(text: string | undefined): JsonValue | undefined {
  if (text === "true" || text === "false") return text === "true";
  if (text === undefined) return undefined;
  const number = numberFromText(text);
  // a large integer is exact in any notation
  if (typeof number === "number" && isRounded(number)) return integerFromText(text) ?? number;
  return number ?? text;
}

/** The numbers of a list that is written as one text with commas; an array passes as it is. */
export function splitNumbers(value: JsonValue | undefined): JsonValue | undefined {
  const items = splitCommas(value);
  if (!Array.isArray(items) || items === value) return items;
  return items.map((item) => (typeof item === "string" ? (fromText(item) ?? item) : item));
}

/** A longer text is no list with commas, in characters. */
const MAX_LIST_TEXT = 1024 * 1024;

/**
 * The items of a list that is written as one text with commas; an array passes as it is,
 * and so does what is too long.
 */
export function splitCommas(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string" || value.length > MAX_LIST_TEXT) return value;
  const items = value.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "");
}

/** Whether a text with commas has parts without an item: `a,,b`. A text without anything is an empty list. */
export function hasEmptyParts(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value.trim() !== "" && /(?:^|,)\s*(?:,|$)/.test(value);
}

// each stops at the character that begins the next part, so that no header costs more than its length
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * The target of the first link with a relation in a `Link` header (RFC 8288 section 3);
 * undefined without one.
 */
export function linkTarget(header: string | undefined, rel: string): string | undefined {
  for (const [, target, parameters = ""] of (header ?? "").matchAll(LINK)) {
    if (relationsOf(parameters).includes(rel.toLowerCase())) return target;
  }
  return undefined;
}

/** Whether a `Link` header has something that is no link, such as an address without `<` and `>`. */
export function hasBrokenLinks(header: string | undefined): boolean {
  return header !== undefined && /[^\s,]/.test(header.replaceAll(LINK, ""));
}

/** The relations of the first `rel`; further ones do not count (RFC 8288 section 3.3). */
function relationsOf(parameters: string): string[] {
  for (const [, name = "", quoted, token] of parameters.matchAll(PARAMETER)) {
    if (name.toLowerCase() === "rel") return (quoted ?? token ?? "").toLowerCase().split(/\s+/);
  }
  return [];
}

/** What must hold for a member of a oneof to be the one. */
export interface Condition {
  /** Dotted. */
  readonly key: string;
  readonly values?: readonly string[];
  readonly present?: boolean;
  /** `string`, `number`, `boolean`, `object` or `array`. */
  readonly type?: string;
}

/** Whether an object meets a condition; values are compared as text. */
export function holds(json: JsonObject, { key, values, present, type }: Condition): boolean {
  const value = plainNumber(valueAt(json, key));
  const isPresent = value !== undefined && value !== null;
  if (present !== undefined && present !== isPresent) return false;
  if (type !== undefined && jsonTypeOf(value) !== type) return false;
  const word = values === undefined ? undefined : wordOf(value);
  return values === undefined || (word !== undefined && values.includes(word));
}

/**
 * Like `holds`, of an object that JSON.parse made: a number that it has rounded, which may pass for another
 * one, is compared as it came.
 *
 * @param exactly the object with integers of any size; undefined where it is the same
 */
export function holdsExactly(
  json: JsonObject,
  condition: Condition,
  exactly: () => JsonValue | undefined,
): boolean {
  const exact = comparesRounded(json, condition) ? exactly() : undefined;
  return holds(isJsonObject(exact) ? exact : json, condition);
}

/** Whether a condition compares a number that JSON.parse has rounded. */
export function comparesRounded(json: JsonObject, { key, values }: Condition): boolean {
  const value = values === undefined ? undefined : valueAt(json, key);
  return typeof value === "number" && isRounded(value);
}

/** A value as the text that chooses a member of a oneof; undefined for what has none. */
export function wordOf(value: JsonValue | undefined): string | undefined {
  const plain = plainNumber(value);
  return plain === undefined || plain === null || typeof plain === "object" ? undefined : String(plain);
}
