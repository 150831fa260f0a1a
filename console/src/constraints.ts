import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./json.ts";

/** Texts for rules of protovalidate, by the name of the rule. A rule without a text is shown by its name. */
const TEXTS: Readonly<Record<string, (limit: string) => string>> = {
  const: (value) => `always ${value}`,
  len: (count) => `exactly ${count} characters`,
  minLen: (count) => (count === "1" ? "not empty" : `at least ${count} characters`),
  maxLen: (count) => `at most ${count} characters`,
  minBytes: (count) => `at least ${count} bytes`,
  maxBytes: (count) => `at most ${count} bytes`,
  pattern: (pattern) => `matches ${pattern}`,
  prefix: (text) => `starts with ${text}`,
  suffix: (text) => `ends with ${text}`,
  contains: (text) => `contains ${text}`,
  notContains: (text) => `does not contain ${text}`,
  in: (values) => `one of ${values}`,
  notIn: (values) => `none of ${values}`,
  gt: (limit) => `more than ${limit}`,
  gte: (limit) => `at least ${limit}`,
  lt: (limit) => `less than ${limit}`,
  lte: (limit) => `at most ${limit}`,
  minItems: (count) => `at least ${count} ${count === "1" ? "item" : "items"}`,
  maxItems: (count) => `at most ${count} items`,
  unique: () => "no item twice",
  minPairs: (count) => `at least ${count} ${count === "1" ? "entry" : "entries"}`,
  maxPairs: (count) => `at most ${count} entries`,
};

/** Returns the rules for the value itself: of its type, without the rules for items, keys and values. */
function ownRules(rules: JsonObject): JsonObject {
  const { required: _required, ignore: _ignore, cel: _cel, celExpression: _expression, ...typed } = rules;
  const [own] = Object.values(typed);
  return isObject(own) ? own : {};
}

/** Returns texts for the rules of a field, e.g. `at most 20 characters`. */
export function constraintTexts(rules: JsonObject): string[] {
  const {
    items,
    keys: _keys,
    values: _values,
    example: _example,
    definedOnly: _defined,
    ...own
  } = ownRules(rules);
  // the lower limit first
  const { gte, lte, ...others } = own;
  const isRange = gte !== undefined && lte !== undefined;
  const range = isRange ? [`from ${String(gte)} to ${String(lte)}`] : [];
  const texts = Object.entries(isRange ? others : own)
    .sort(([one], [other]) => Number(/^l|^max/.test(one)) - Number(/^l|^max/.test(other)))
    .map(([name, limit]) => ruleText(name, limit));
  const expressions = [...list(rules.cel), ...list(rules.celExpression)].map((rule) =>
    isObject(rule) ? String(rule.message ?? rule.expression ?? rule.id) : String(rule),
  );
  const ofItems = isObject(items) ? constraintTexts(items).map((text) => `each item: ${text}`) : [];
  return [...range, ...texts, ...expressions, ...ofItems];
}

function ruleText(name: string, limit: JsonValue): string {
  const value = Array.isArray(limit) ? limit.join(", ") : String(limit);
  return TEXTS[name]?.(value) ?? (limit === true ? name : `${name}: ${value}`);
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function isRequired(rules: JsonObject): boolean {
  return rules.required === true;
}

/** Returns the rules for the items of a list. */
export function itemRules(rules: JsonObject): JsonObject {
  const { items } = ownRules(rules);
  return isObject(items) ? items : {};
}

/** Returns the texts of common rules that a value violates. The gateway checks all rules. */
export function violatedRules(rules: JsonObject, value: JsonValue): string[] {
  if (value === "" && rules.ignore === "IGNORE_IF_ZERO_VALUE") return [];
  return Object.entries(ownRules(rules))
    .filter(([name, limit]) => isViolated(name, limit, value))
    .map(([name, limit]) => `expected: ${ruleText(name, limit)}`);
}

function isViolated(name: string, limit: JsonValue, value: JsonValue): boolean {
  const size = sizeOf(value);
  switch (name) {
    case "len":
      return typeof value === "string" && size !== Number(limit);
    case "minLen":
    case "minItems":
    case "minPairs":
      return size < Number(limit);
    case "maxLen":
    case "maxItems":
    case "maxPairs":
      return size > Number(limit);
    case "gt":
      return Number(value) <= Number(limit);
    case "gte":
      return Number(value) < Number(limit);
    case "lt":
      return Number(value) >= Number(limit);
    case "lte":
      return Number(value) > Number(limit);
    case "in":
      return Array.isArray(limit) && !limit.map(String).includes(String(value)) && typeof value === "string";
    default:
      return false;
  }
}

/** Returns the characters of a string, the items of a list, or the entries of a map. */
function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return [...value].length;
  return Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : Number.NaN;
}
