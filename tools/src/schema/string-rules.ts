import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Literal } from "protoc-gen-connect-rest/kit";
import type { Constraint } from "./json-schema.ts";
import { list } from "./number-rules.ts";

/** Well-known formats of protovalidate that JSON Schema has too (section 7.3 of its validation vocabulary). */
const FORMATS: Readonly<Record<string, string>> = {
  email: "email",
  hostname: "hostname",
  ipv4: "ipv4",
  ipv6: "ipv6",
  uri: "uri",
  uriRef: "uri-reference",
  uuid: "uuid",
};

/** Rules of strings; lengths count characters in both languages. */
export function stringConstraint(rules: JsonObject): Constraint {
  if (rules.const !== undefined) return { keywords: { const: String(rules.const) }, hints: [] };
  const allowed = list(rules.in).map(String);
  if (allowed.length > 0) return { keywords: { enum: allowed }, hints: [] };
  const refused = list(rules.notIn).map(String);
  const patterns = patternsOf(rules);
  const format = Object.keys(FORMATS).find((name) => rules[name] === true);
  return {
    keywords: {
      minLength: number(rules.len ?? rules.minLen),
      maxLength: number(rules.len ?? rules.maxLen),
      ...patternKeywords(patterns.filter(isPortable)),
      format: format && FORMATS[format],
      not: refused.length === 0 ? undefined : { enum: refused },
    },
    hints: [
      ...byteHints(rules),
      ...patterns.filter((pattern) => !isPortable(pattern)).map((pattern) => `Matches ${pattern} (RE2).`),
    ],
  };
}

/** Whether an empty string breaks the rules, so that the field cannot be left out. */
export function emptyBreaks(rules: JsonObject): boolean {
  if (rules.const !== undefined) return rules.const !== "";
  if (list(rules.in).length > 0) return !list(rules.in).includes("");
  const least = ["len", "minLen", "lenBytes", "minBytes"].map((name) => Number(rules[name] ?? 0));
  return (
    least.some((length) => length > 0) ||
    list(rules.notIn).includes("") ||
    patternsOf(rules).some((pattern) => isPortable(pattern) && !new RegExp(pattern, "u").test("")) ||
    Object.keys(FORMATS).some((name) => name !== "uriRef" && rules[name] === true)
  );
}

/** The number that a rule gives; undefined where there is none, or none that counts. */
export function number(value: JsonValue | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

function byteHints(rules: JsonObject): string[] {
  const { lenBytes, minBytes, maxBytes } = rules;
  if (lenBytes !== undefined) return [`Has ${lenBytes} bytes in UTF-8.`];
  const least = minBytes === undefined ? [] : [`at least ${minBytes}`];
  const most = maxBytes === undefined ? [] : [`at most ${maxBytes}`];
  const bounds = [...least, ...most].join(" and ");
  return bounds === "" ? [] : [`Has ${bounds} bytes in UTF-8.`];
}

function patternsOf(rules: JsonObject): string[] {
  const { pattern, prefix, suffix, contains } = rules;
  return [
    ...(pattern === undefined ? [] : [String(pattern)]),
    ...(prefix === undefined ? [] : [`^${escaped(String(prefix))}`]),
    ...(contains === undefined ? [] : [escaped(String(contains))]),
    ...(suffix === undefined ? [] : [`${escaped(String(suffix))}$`]),
  ];
}

function patternKeywords(patterns: readonly string[]): Readonly<Record<string, Literal>> {
  const [first, ...others] = patterns;
  if (others.length === 0) return { pattern: first };
  return { allOf: patterns.map((pattern) => ({ pattern })) };
}

/** Whether RE2's pattern is one of ECMA-262 too; JSON Schema has the latter. */
function isPortable(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
