import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** The keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/**
 * Parses JSON. Integers that a number cannot represent become strings, which ProtoJSON accepts in their
 * place, so that 64-bit identifiers keep all of their digits.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    return /^-?\d+$/.test(context?.source ?? "") ? context?.source : value;
  };
  return JSON.parse(text, revive) as JsonValue;
}

export function formatJson(value: JsonValue | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object without a key or, if `value` is given, with the key in its place. */
export function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  if (value === undefined) return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
  return Object.hasOwn(object, key)
    ? Object.fromEntries(Object.entries(object).map(([name, old]) => [name, name === key ? value : old]))
    : Object.fromEntries([...Object.entries(object), [key, value]]);
}

/** Formats a path as `a.b[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}
