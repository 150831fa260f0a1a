import type { Operation } from "../normalize/api.ts";
import type { Schema } from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import type { OptionValue } from "../proto/model.ts";
import { isJson } from "./media-types.ts";
import { type PageKey as Key, ownKeys } from "./page.ts";

/** The rules for the error bodies of an operation, or of all operations of a service. */
export type ErrorBodies = Readonly<Record<string, OptionValue>>;

/** Names of keys, as joined words, under which the runtime finds a text without a rule. */
export const KNOWN: ReadonlySet<string> = new Set([
  "detail",
  "error",
  "error_messages",
  "errors",
  "message",
  "title",
]);
/** Names of keys, most specific first. */
const TITLES = [
  "error_message",
  "err_message",
  "error_msg",
  "err_msg",
  "errmsg",
  "errormsg",
  "msg",
  "message",
  "title",
  "error_text",
  "error_description",
  "faultstring",
  "reason",
  "description",
];
const CODES = ["error_code", "err_code", "errcode", "errorcode", "errno", "faultcode", "code"];
const DETAILS = ["error_detail", "error_details", "detail", "details", "description"];
const CONTAINERS: ReadonlySet<string> = new Set([
  "err",
  "exception",
  "failure",
  "fault",
  "meta",
  "problem",
  "response",
  "result",
  "status",
]);

/**
 * Returns the rule for all methods of a service if each operation that declares error bodies needs a rule;
 * otherwise undefined, since a rule would replace the common formats for the other operations.
 */
export function sharedErrorBodies(
  schemas: Schemas,
  operations: readonly Operation[],
): ErrorBodies | undefined {
  const declaring = operations.filter((operation) => errorSchemas(schemas, operation).length > 0);
  const formats = declaring.map((operation) => formatsOf(schemas, operation));
  if (formats.length === 0 || formats.some((each) => each.length === 0)) return undefined;
  return ruleOf(formats.flat());
}

/** Returns the rule for the error bodies that an operation declares; empty if it needs no rule. */
export function errorBodiesOf(schemas: Schemas, operation: Operation): ErrorBodies {
  return ruleOf(formatsOf(schemas, operation));
}

/** Returns the distinct formats, most frequent first. */
function ruleOf(formats: readonly OptionValue[]): ErrorBodies {
  const groups = Map.groupBy(formats, (format) => JSON.stringify(format));
  const distinct = [...groups.values()].sort((a, b) => b.length - a.length).flatMap(([first]) => first ?? []);
  const [only] = distinct;
  if (only === undefined) return {};
  return { error_bodies: distinct.length === 1 ? only : distinct };
}

function errorSchemas(schemas: Schemas, { responses }: Operation): Schema[] {
  return responses
    .filter(({ status }) => /^[45]/.test(status) || status === "default")
    .flatMap(({ contents }) => contents.find(({ type }) => isJson(type))?.schema ?? [])
    .map((node) => schemas.read(node));
}

/** Returns the formats of error bodies that the runtime does not know. */
function formatsOf(schemas: Schemas, operation: Operation): OptionValue[] {
  return errorSchemas(schemas, operation).flatMap((schema) => {
    const keys = ownKeys(schemas, schema, "");
    if (keys.some(({ name }) => KNOWN.has(name))) return [];
    const places = [{ path: ".", keys }, ...keys.flatMap((key) => containerOf(schemas, key) ?? [])];
    return places.flatMap(({ path, keys: each }) => itemsOf(path, each) ?? []).slice(0, 1);
  });
}

function containerOf(schemas: Schemas, { name, path, schema }: Key) {
  if (!CONTAINERS.has(name)) return undefined;
  const { shape } = schema;
  const object = shape.kind === "array" && shape.items !== undefined ? schemas.read(shape.items) : schema;
  return { path, keys: ownKeys(schemas, object, "") };
}

function itemsOf(path: string, keys: readonly Key[]): OptionValue | undefined {
  const find = (names: readonly string[], kinds: readonly string[]) => {
    const found = names.flatMap((name) => keys.find((key) => key.name === name) ?? []);
    return found.find(({ schema }) => kinds.includes(schema.shape.kind))?.path;
  };
  const title = find(TITLES, ["string"]);
  if (title === undefined) return undefined;
  const code = find(CODES, ["string", "integer", "enum"]);
  const detail = find(DETAILS, ["string"]);
  return {
    items: {
      path,
      title,
      ...(code === undefined || code === "code" ? {} : { code }),
      ...(detail === undefined || detail === "detail" || detail === title ? {} : { detail }),
    },
  };
}
