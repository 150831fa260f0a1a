import { wordsOf } from "../names/words.ts";
import type { Operation, Parameter, Response, ResponseHeader } from "../normalize/api.ts";
import type { Schema, SchemaNode } from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import { groupsOf, kindOf } from "./alternatives.ts";
import { isJson } from "./media-types.ts";

/** A key of a page. */
export interface PageKey {
  /** The path from the payload, in the notation of the annotations. */
  readonly path: string;
  /** The words of the key, joined by `_`. */
  readonly name: string;
  readonly schema: Schema;
}

/** A response that may be one page of a list. */
export interface Page {
  readonly operation: Operation;
  readonly items: PageKey;
  readonly item: SchemaNode;
  /** The keys that may describe the page. */
  readonly keys: readonly PageKey[];
  readonly headers: readonly ResponseHeader[];
}

/** The keys of objects that describe a page. */
const ENVELOPES: ReadonlySet<string> = new Set([
  "cursors",
  "links",
  "meta",
  "metadata",
  "page",
  "page_info",
  "pagination",
  "paging",
  "response_metadata",
]);
/** The keys of objects that contain the items of a page. */
const CONTAINERS: ReadonlySet<string> = new Set(["data", "embedded", "payload", "response", "result"]);
/** The keys of arrays that are not the items of a page. */
const OTHER_ARRAYS: ReadonlySet<string> = new Set(["errors", "links", "messages", "warnings"]);
const MAX_DEPTH = 2;

/** Returns the page that a GET responds with; undefined if the response has no array, or several. */
export function pageOf(schemas: Schemas, operation: Operation): Page | undefined {
  const response = responseOf(operation);
  const payload = payloadOf(schemas, response);
  if (response === undefined || payload === undefined) return undefined;
  const root: PageKey = { path: ".", name: "", schema: payload };
  const items = payload.shape.kind === "array" ? root : itemsIn(schemas, payload);
  if (items?.schema.shape.kind !== "array" || items.schema.shape.items === undefined) return undefined;
  const item = schemas.read(items.schema.shape.items);
  const isAny =
    item.shape.kind === "union" ? groupsOf(schemas, item).has("any") : kindOf(schemas, item) === "any";
  if (isAny) return undefined;
  const keys = keysOf(schemas, payload, "", 0);
  return { operation, items, item: items.schema.shape.items, keys, headers: response.headers };
}

/** Returns the keys that may describe a page, even if the response has no items. */
export function pageKeys(schemas: Schemas, operation: Operation): PageKey[] {
  const payload = payloadOf(schemas, responseOf(operation));
  return payload === undefined ? [] : keysOf(schemas, payload, "", 0);
}

function responseOf({ verb, responses }: Operation): Response | undefined {
  return verb === "GET" ? responses.find(({ status }) => /^2(?:00|XX)$/.test(status)) : undefined;
}

function payloadOf(schemas: Schemas, response: Response | undefined): Schema | undefined {
  const node = response?.contents.find(({ type }) => isJson(type))?.schema;
  return node && schemas.read(node);
}

function itemsIn(schemas: Schemas, payload: Schema): PageKey | undefined {
  const top = ownKeys(schemas, payload, "");
  const arrays = top.filter(isItems);
  if (arrays.length > 0) return arrays.length === 1 ? arrays[0] : undefined;
  const nested = top.filter(({ name }) => CONTAINERS.has(name));
  const inner = nested.flatMap(({ schema, path }) => ownKeys(schemas, schema, path)).filter(isItems);
  return inner.length === 1 ? inner[0] : undefined;
}

function isItems({ name, schema }: PageKey): boolean {
  return schema.shape.kind === "array" && !OTHER_ARRAYS.has(name);
}

/** Returns the keys of a payload, and of the objects in it that describe the page. */
function keysOf(schemas: Schemas, schema: Schema, prefix: string, depth: number): PageKey[] {
  return ownKeys(schemas, schema, prefix).flatMap((key) => {
    const isEnvelope = key.schema.shape.kind === "object" && ENVELOPES.has(key.name);
    return isEnvelope && depth < MAX_DEPTH ? keysOf(schemas, key.schema, key.path, depth + 1) : [key];
  });
}

/** Returns the keys of an object, with their paths below a prefix. */
export function ownKeys(schemas: Schemas, { shape }: Schema, prefix: string): PageKey[] {
  if (shape.kind !== "object") return [];
  return [...shape.properties].flatMap(([key, node]) => {
    const step = stepOf(key);
    if (step === undefined) return [];
    const path = prefix === "" ? step : `${prefix}.${step}`;
    return [{ path, name: nameOf(key), schema: schemas.read(node) }];
  });
}

/** Returns a key as a step of a path; undefined for keys that paths cannot contain. */
function stepOf(key: string): string | undefined {
  if (/^[A-Za-z_$][\w$-]*$/.test(key)) return key;
  return key === "" || /['\\]|[^ -~]/.test(key) ? undefined : `'${key}'`;
}

/** Returns the words of a name, joined by `_`, so that names of different styles are equal. */
export function nameOf(name: string): string {
  return wordsOf(name).join("_");
}

/** A parameter in the query with a scalar value. */
export interface PageParameter {
  readonly parameter: Parameter;
  readonly name: string;
  readonly schema: Schema;
}

export function queryParameters(schemas: Schemas, { parameters }: Operation): PageParameter[] {
  return parameters.flatMap((parameter) => {
    if (parameter.in !== "query" || parameter.schema === undefined) return [];
    const schema = schemas.read(parameter.schema);
    return [{ parameter, name: nameOf(parameter.name), schema }];
  });
}
