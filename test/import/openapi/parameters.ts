/**
 * Reads the parameters of a request by their styles (OpenAPI 3.1, section Style Values). Objects and lists
 * below the
 * first level, for which OpenAPI defines no style, have brackets: `filter[range][min]=1`, `tags[]=a`,
 * `items[0][id]=1`.
 */
import { isObject, itemsOf, keysOf, memberOf, type OpenApi, type Part } from "./document.ts";
import { parseExact, type Value } from "./values.ts";

/** Decoded text, or texts by key. */
export type Tree = string | { readonly [key: string]: Tree };

export interface Pair {
  readonly name: string;
  /** The value before percent-decoding. */
  readonly raw: string;
}

/** Returns the names and values of a query or form. */
export function pairsOf(query: string): Pair[] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...rest] = pair.split("=");
      return { name: decoded(name), raw: rest.join("=") };
    });
}

export function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

/** Returns the schemas that apply to a value: the schema and the parts that it combines. */
function partsOf(document: OpenApi, schema: Part, depth = 0): Part[] {
  const part = document.follow(schema);
  if (depth > 8) return [part];
  const nested = ["allOf", "oneOf", "anyOf"].flatMap((keyword) => {
    return itemsOf(memberOf(part.value, keyword)).flatMap((_, index) => {
      const found = document.child(part, keyword, index);
      return found === undefined ? [] : partsOf(document, found, depth + 1);
    });
  });
  return [part, ...nested];
}

/** Returns the JSON types that a schema allows. */
export function typesOf(document: OpenApi, schema: Part): ReadonlySet<string> {
  return new Set(
    partsOf(document, schema).flatMap(({ value }) => {
      const type = memberOf(value, "type");
      if (Array.isArray(type)) return type.map(String);
      if (typeof type === "string") return [type];
      if (memberOf(value, "properties") !== undefined) return ["object"];
      return itemsOf(memberOf(value, "enum")).map((each) => typeof each);
    }),
  );
}

export function propertyOf(document: OpenApi, schema: Part, name: string): Part | undefined {
  const parts = partsOf(document, schema);
  const declared = parts.flatMap((part) => document.child(part, "properties", name) ?? []);
  const additional = parts.flatMap((part) => document.child(part, "additionalProperties") ?? []);
  return declared[0] ?? additional.find(({ value }) => isObject(value));
}

function isOpen(document: OpenApi, schema: Part): boolean {
  const parts = partsOf(document, schema);
  if (parts.some(({ value }) => memberOf(value, "additionalProperties") === true)) return true;
  return parts.every(({ value }) => keysOf(memberOf(value, "properties")).length === 0);
}

export function hasProperty(document: OpenApi, schema: Part, name: string): boolean {
  return propertyOf(document, schema, name) !== undefined || isOpen(document, schema);
}

/** Returns the value that text represents, with the types that a schema allows. */
export function valueIn(document: OpenApi, schema: Part, tree: Tree): Value {
  const types = typesOf(document, schema);
  if (typeof tree === "string") return scalarOf(types, tree);
  const keys = Object.keys(tree);
  const isList = keys.every((key) => /^\d+$/.test(key)) && types.has("array");
  if (isList) return keys.map((key) => itemOf(document, schema, tree[key] ?? ""));
  return Object.fromEntries(
    keys.map((key) => {
      const property = propertyOf(document, schema, key);
      const text = tree[key] ?? "";
      if (property !== undefined) return [key, valueIn(document, property, text)];
      if (!isOpen(document, schema)) throw new Error(`${schema.pointer} declares no property ${key}`);
      return [key, plainOf(text)];
    }),
  );
}

function plainOf(tree: Tree): Value {
  if (typeof tree === "string") return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, each]) => [key, plainOf(each)]));
}

export function itemOf(document: OpenApi, schema: Part, tree: Tree): Value {
  const items = partsOf(document, schema).flatMap((part) => document.child(part, "items") ?? [])[0];
  return items === undefined ? plainOf(tree) : valueIn(document, items, tree);
}

function scalarOf(types: ReadonlySet<string>, text: string): Value {
  const isNumber = types.has("integer") || types.has("number");
  if (isNumber && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return parseExact(text);
  if (types.has("boolean") && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}

/**
 * Returns the tree of the pairs whose names begin with a name and have brackets; undefined without such
 * pairs.
 */
export function bracketTree(
  pairs: readonly Pair[],
  name: string,
): { tree: Tree; used: readonly Pair[] } | undefined {
  const used = pairs.filter((pair) => pair.name.startsWith(`${name}[`));
  if (used.length === 0) return undefined;
  const root: { [key: string]: Tree } = {};
  for (const pair of used) {
    const steps = [...pair.name.slice(name.length).matchAll(/\[([^\]]*)\]/g)].map(([, step = ""]) => step);
    let current = root;
    for (const [index, step] of steps.entries()) {
      const key = step === "" ? String(Object.keys(current).length) : step;
      if (index === steps.length - 1) {
        if (current[key] !== undefined) throw new Error(`${pair.name} is sent twice`);
        current[key] = decoded(pair.raw);
      } else {
        const next = current[key];
        const below: { [key: string]: Tree } = typeof next === "object" ? { ...next } : {};
        current[key] = below;
        current = below;
      }
    }
  }
  return { tree: root, used };
}

const DELIMITERS: Readonly<Record<string, string | RegExp>> = {
  form: ",",
  simple: ",",
  spaceDelimited: /%20|\+| /,
  pipeDelimited: /%7C|\|/i,
  tabDelimited: "%09",
};

/** Returns the value of a parameter in one text with delimiters. */
export function delimitedValue(document: OpenApi, schema: Part, raw: string, style: string): Value {
  const types = typesOf(document, schema);
  if (!types.has("array") && !types.has("object")) return scalarOf(types, decoded(raw));
  const texts = raw.split(DELIMITERS[style] ?? ",").map(decoded);
  if (types.has("array")) return texts.map((text) => itemOf(document, schema, text));
  const entries: [string, Tree][] = [];
  for (let index = 0; index < texts.length; index += 2) {
    entries.push([texts[index] ?? "", texts[index + 1] ?? ""]);
  }
  return valueIn(document, schema, Object.fromEntries(entries));
}
