/** Reads items of error lists that have any of the common keys. */
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from "connect-rest-codec/internal";
import {
  type Item,
  joined,
  listOf,
  readFieldMap,
  reportOfItems,
  scalarText,
  subcodeOf,
} from "./error-items.ts";
import type { ErrorReport } from "./error-report.ts";

const TEXTS = ["detail", "message", "msg", "description", "reason", "error"] as const;
const CODES = ["code", "extensions.code", "errorCode", "type"] as const;
const FIELDS = ["field", "param", "parameter", "property", "target", "source.parameter", "path"] as const;
const POINTERS = ["pointer", "source.pointer"] as const;

/** The locations that FastAPI puts before the name of an invalid value. */
const PLACES: readonly string[] = ["body", "query", "path", "header", "cookie"];

/**
 * Reads the errors below a key such as `errors`: a list of objects or strings, a single object or string, or
 * a map from fields to strings. An object with a message or a code, and without a list, is a single error.
 */
export function readErrors(value: JsonValue | undefined): ErrorReport | undefined {
  return isJsonObject(value) && !isItem(value) ? readFieldMap(value) : reportOfItems(value, commonItem);
}

/** Puts a message about the whole error, e.g. `Validation failed`, at the beginning of a report. */
export function withHead(head: string, report: ErrorReport): ErrorReport {
  const { text = "" } = report;
  if (head === "" || text.includes(head)) return report;
  return { ...report, text: text === "" ? head : `${head}: ${text}` };
}

/**
 * Returns the string at the first of these keys whose value is a string or a list of strings. The strings of
 * a list are joined.
 */
export function textAt(json: JsonObject, keys: readonly string[]): string {
  for (const key of keys) {
    const value = Object.hasOwn(json, key) ? json[key] : undefined;
    const texts = listOf(value).filter((each) => typeof each === "string");
    const text = joined(texts.map((each) => each.trim()));
    if (text !== "" && texts.length === listOf(value).length) return text;
  }
  return "";
}

/** Reads an item of a list of errors, including the name of the invalid field. */
function commonItem(json: JsonValue): Item {
  if (!isJsonObject(json)) return { text: scalarText(json) ?? "", subcode: undefined, field: "", json };
  const subcode = firstOf(json, CODES, subcodeOf);
  const field = fieldOf(json);
  const parts = [textAt(json, ["title"]), textAt(json, TEXTS)];
  const own = [...new Set(parts)].filter((part) => part !== "").join(": ");
  const text = own === "" && field !== "" ? (subcode ?? "") : own;
  const line = field === "" || text === "" || text.includes(field) ? text : `${field}: ${text}`;
  return { text, line, subcode, field, json };
}

/**
 * Returns the dotted path of the field that an item names, with indices in brackets as in
 * `google.rpc.BadRequest`.
 */
function fieldOf(json: JsonObject): string {
  const { loc } = json;
  if (Array.isArray(loc)) {
    const [place, ...steps] = loc;
    return fieldOfSteps(typeof place === "string" && PLACES.includes(place) ? steps : loc);
  }
  const pointer = firstOf(json, POINTERS, (value) => (typeof value === "string" ? value : undefined));
  if (pointer !== undefined) return fieldOfPointer(pointer);
  // only strings name a request field: a GraphQL `path` is a list, and leads to a field of the response
  return firstOf(json, FIELDS, (value) => (typeof value === "string" ? value : undefined)) ?? "";
}

/**
 * An index in a JSON pointer (RFC 6901 section 4). Other numbers, such as `007`, are keys and are not
 * changed.
 */
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** Converts a JSON pointer (RFC 6901), which may be a URI fragment, to the dotted path of a field. */
function fieldOfPointer(pointer: string): string {
  const steps = pointer.replace(/^#/, "").split("/");
  return fieldOfSteps(
    steps
      .filter((step) => step !== "")
      .map((step) => (INDEX.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~"))),
  );
}

function fieldOfSteps(steps: readonly JsonValue[]): string {
  return steps.reduce<string>((path, step) => {
    const text = scalarText(step) ?? "";
    if (typeof step !== "string") return text === "" ? path : `${path}[${text}]`;
    return path === "" ? text : `${path}.${text}`;
  }, "");
}

function firstOf(
  json: JsonObject,
  paths: readonly string[],
  read: (value: JsonValue | undefined) => string | undefined,
): string | undefined {
  for (const path of paths) {
    const found = read(valueAt(json, path));
    if (found !== undefined && found !== "") return found;
  }
  return undefined;
}

function isItem(json: JsonObject): boolean {
  const isText = (key: string) => Object.hasOwn(json, key) && scalarText(json[key] ?? null) !== undefined;
  return ["message", "detail", "code"].some(isText) && !Object.values(json).some(Array.isArray);
}
