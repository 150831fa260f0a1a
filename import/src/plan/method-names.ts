import { isPlural, pascal, singular, wordsOf } from "../names/words.ts";
import type { Operation } from "../normalize/api.ts";
import type { Schemas } from "../normalize/schemas.ts";
import { isJson } from "./media-types.ts";
import { successesOf } from "./responses.ts";

/** Synonyms of the verbs of standard methods, with the HTTP method that each requires. */
const SYNONYMS: Readonly<Record<string, { readonly verb: string; readonly http: string }>> = {
  fetch: { verb: "get", http: "GET" },
  retrieve: { verb: "get", http: "GET" },
  read: { verb: "get", http: "GET" },
  add: { verb: "create", http: "POST" },
  insert: { verb: "create", http: "POST" },
  edit: { verb: "update", http: "PATCH" },
  modify: { verb: "update", http: "PATCH" },
  remove: { verb: "delete", http: "DELETE" },
  destroy: { verb: "delete", http: "DELETE" },
};

/**
 * Returns the method name of an operation: its `operationId` without the tag, otherwise a name from its HTTP
 * method and path.
 */
export function methodName(operation: Operation, tag: string, schemas: Schemas): string {
  const words = idWords(operation, tag);
  if (words.length === 0 || isMadeOfPath(operation, words)) return pascal(pathWords(operation), "Call");
  const [first = "", ...rest] = words;
  const synonym = SYNONYMS[first];
  const verb = synonym?.http === operation.verb && rest.length > 0 ? synonym.verb : first;
  const isList = verb === "get" && isListOf(operation, rest.at(-1) ?? "", schemas);
  return pascal([isList ? "list" : verb, ...rest], "Call");
}

/** Keys of the list in a response that has other properties. */
const LIST_KEYS = new Set(["data", "items", "results", "entries"]);

/** Reports whether an operation returns the list of the resources that its path ends in. */
function isListOf(operation: Operation, noun: string, schemas: Schemas): boolean {
  const [segment = ""] = operation.path
    .replace(/[?#].*$/s, "")
    .split("/")
    .slice(-1);
  if (operation.verb !== "GET" || !isPlural(noun) || wordsOf(segment).at(-1) !== noun) return false;
  if (segment.includes("{")) return false;
  const contents = successesOf(operation).flatMap((response) => response.contents);
  return contents.some(({ type, schema }) => {
    if (schema === undefined || !isJson(type)) return false;
    const { shape } = schemas.read(schema);
    if (shape.kind !== "object") return shape.kind === "array";
    return [...shape.properties].some(
      ([key, property]) =>
        (LIST_KEYS.has(key) || wordsOf(key).at(-1) === noun) && schemas.read(property).shape.kind === "array",
    );
  });
}

/** Words that are not sufficient as a method name without a noun. */
const VERBS = new Set([
  ...Object.keys(SYNONYMS),
  ...[
    "get",
    "list",
    "search",
    "create",
    "update",
    "delete",
    "set",
    "replace",
    "patch",
    "put",
    "post",
    "find",
    "check",
  ],
]);

/** Returns the words of the `operationId`. A single verb is extended by the words of the tag. */
function idWords({ operationId }: Operation, tag: string): readonly string[] {
  const words = wordsOf(operationId ?? "");
  const prefix = wordsOf(tag);
  const separated = /^[^/.:]+[/.:]/.test(operationId ?? "");
  const isPrefixed = separated && prefix.length > 0 && prefix.every((word, index) => words[index] === word);
  const rest = isPrefixed ? words.slice(prefix.length) : words;
  const [verb = ""] = rest;
  if (rest.length !== 1 || prefix.length === 0 || !VERBS.has(verb)) return rest;
  const many = verb === "list" || verb === "search";
  return [verb, ...prefix.slice(0, -1), many ? (prefix.at(-1) ?? "") : singular(prefix.at(-1) ?? "")];
}

/** Reports whether an `operationId` was generated from the HTTP method and path. */
function isMadeOfPath({ verb, path }: Operation, words: readonly string[]): boolean {
  const plain = path.split("/").flatMap((segment) => wordsOf(segment));
  const [first, ...rest] = words;
  return (
    first === verb.toLowerCase() &&
    rest.length > 1 &&
    rest.join("") === plain.slice(-rest.length).join("") &&
    plain.length - rest.length < 2
  );
}

const STANDARD: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/** Returns words for an HTTP method and path: `list`, `pet`, `toys` for `GET /pets/{id}/toys`. */
function pathWords({ verb, path }: Operation): string[] {
  const segments = path
    .replace(/[?#].*$/s, "")
    .split("/")
    .filter((segment) => segment !== "" && !/^v\d+$|^api$/.test(segment));
  const isItem = segments.at(-1)?.includes("{") === true;
  const names = segments.filter((segment) => !segment.includes("{")).map(wordsOf);
  const last = names.at(-1) ?? [];
  const owners = names.slice(0, -1).map(singularWords);
  const plural = isPlural(last.at(-1) ?? "");
  if (verb === "GET") {
    return isItem || !plural
      ? ["get", ...owners.flat(), ...singularWords(last)]
      : ["list", ...owners.flat(), ...last];
  }
  const isAction = verb === "POST" && !isItem && !plural && segments.length > 1;
  if (isAction) return [...last, ...owners.flat()];
  const standard = verb === "POST" && isItem ? "update" : STANDARD[verb];
  return [standard ?? verb.toLowerCase(), ...owners.flat(), ...singularWords(last)];
}

function singularWords(words: readonly string[]): string[] {
  return words.map((word, index) => (index === words.length - 1 ? singular(word) : word));
}
