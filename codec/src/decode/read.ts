/** Reads values from a response. */
import { exactNumber, isJsonObject, type JsonObject, type JsonValue, jsonTypeOf } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { NumberText } from "../json/number-text.ts";
import { isRounded } from "../json/raw-json.ts";
import { integerFromText, numberFromText } from "./scalar.ts";

/** Converts a header value that represents a number or boolean. Returns other strings unchanged. */
export function fromText(text: string | undefined): JsonValue | undefined {
  if (text === "true" || text === "false") return text === "true";
  if (text === undefined) return undefined;
  const number = numberFromText(text);
  if (typeof number !== "number" || (Number.isFinite(number) && !Number.isInteger(number))) {
    return number ?? text;
  }
  const integer = integerFromText(text);
  if (!Number.isSafeInteger(number)) return integer ?? number;
  // a fraction must not become an integer
  return integer === undefined ? new NumberText(text, number) : number;
}

/** Splits a comma-separated list of numbers. Returns an array unchanged. */
export function splitNumbers(value: JsonValue | undefined): JsonValue | undefined {
  const items = splitCommas(value);
  if (!Array.isArray(items) || items === value) return items;
  return items.map((item) => (typeof item === "string" ? (fromText(item) ?? item) : item));
}

/** The maximum length of a comma-separated list, in characters. */
const MAX_LIST_TEXT = 1024 * 1024;

/** Splits a comma-separated list. Returns an array, or a string beyond the limit, unchanged. */
export function splitCommas(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string" || value.length > MAX_LIST_TEXT) return value;
  const items = value.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "");
}

/** Reports whether a comma-separated string has empty items: `a,,b`. An empty string is an empty list. */
export function hasEmptyParts(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value.trim() !== "" && /(?:^|,)\s*(?:,|$)/.test(value);
}

// each part of the expression stops at the first character of the next part, which makes matching linear
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|'[^'",;<>]*'|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^'",;<>]*)'|([^\s;,"]*)))?/g;

/**
 * Returns the target of the first link with a relation in a `Link` header (RFC 8288 section 3); undefined if
 * no link has the relation.
 */
export function linkTarget(header: string | undefined, rel: string): string | undefined {
  for (const [, target, parameters = ""] of (header ?? "").matchAll(LINK)) {
    if (relationsOf(parameters).includes(rel.toLowerCase())) return target;
  }
  return undefined;
}

/** Reports whether a `Link` header has malformed content, such as an address without `<` and `>`. */
export function hasBrokenLinks(header: string | undefined): boolean {
  return header !== undefined && /[^\s,]/.test(header.replaceAll(LINK, ""));
}

/**
 * Returns the relations of the first `rel` parameter, which some servers put into single quotes. Later `rel`
 * parameters do not count (RFC 8288 section 3.3).
 */
function relationsOf(parameters: string): string[] {
  for (const [, name = "", quoted, single, token] of parameters.matchAll(PARAMETER)) {
    if (name.toLowerCase() !== "rel") continue;
    return (quoted ?? single ?? token ?? "").toLowerCase().trim().split(/\s+/);
  }
  return [];
}

/** A condition that selects a member of a oneof. */
export interface Condition {
  /** A dotted path. */
  readonly key: string;
  readonly values?: readonly string[];
  readonly present?: boolean;
  /** The JSON type of the value: `string`, `number`, `boolean`, `object` or `array`. */
  readonly type?: string;
}

/** Reports whether an object meets a condition. Values are compared as strings. */
export function holds(json: JsonObject, { key, values, present, type }: Condition): boolean {
  const value = valueAt(json, key);
  const isPresent = value !== undefined && value !== null;
  if (present !== undefined && present !== isPresent) return false;
  if (type !== undefined && jsonTypeOf(value) !== type) return false;
  const word = values === undefined ? undefined : wordOf(value);
  return values === undefined || (word !== undefined && values.includes(word));
}

/**
 * Like `holds`, for an object from JSON.parse. A rounded number may equal a different number, so its original
 * digits are compared.
 *
 * @param exactly returns the object with exact integers; undefined if no integer was rounded
 */
export function holdsExactly(
  json: JsonObject,
  condition: Condition,
  exactly: () => JsonValue | undefined,
): boolean {
  const exact = comparesRounded(json, condition) ? exactly() : undefined;
  return holds(isJsonObject(exact) ? exact : json, condition);
}

/** Reports whether a condition compares a number that JSON.parse has rounded. */
export function comparesRounded(json: JsonObject, { key, values }: Condition): boolean {
  const value = values === undefined ? undefined : valueAt(json, key);
  return typeof value === "number" && isRounded(value);
}

/**
 * Returns the string by which a value selects a member of a oneof; undefined for a value that has no such
 * string.
 */
export function wordOf(value: JsonValue | undefined): string | undefined {
  const plain = exactNumber(value);
  return plain === undefined || plain === null || typeof plain === "object" ? undefined : String(plain);
}
