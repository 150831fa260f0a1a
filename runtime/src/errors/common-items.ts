/** Reads items of error lists that have any of the common keys. */
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from "connect-rest-codec/internal";
import { type Item, joined, listOf, scalarText, stepsOf, subcodeOf } from "./error-items.ts";
import type { ErrorReport } from "./error-report.ts";
import type { PathStep } from "./field-notation.ts";
import type { RequestFields } from "./request-fields.ts";

const TEXTS = ["detail", "message", "msg", "description", "reason", "error"] as const;
/** The keys that an object has if it is an error, and not an object of fields. */
const OWN = ["message", "msg", "detail", "error", "code"] as const;
const CODES = ["code", "extensions.code", "errorCode", "error_code", "type"] as const;
const FIELDS = [
  "pointer",
  "source.pointer",
  "field",
  "param",
  "parameter",
  "property",
  "target",
  "source.parameter",
  "path",
] as const;

/** The locations that FastAPI puts before the name of an invalid value. */
const PLACES: readonly string[] = ["body", "query", "path", "header", "cookie"];

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

/** Returns the code of an error; undefined if the error has no code. */
export function codeOf(json: JsonObject): string | undefined {
  // the type `about:blank` only means that the status says everything (RFC 9457 section 4.2.1)
  return firstOf(json, CODES, (value) => (value === "about:blank" ? undefined : subcodeOf(value)));
}

/** Reads an item of a list of errors, including the name of the invalid field. */
export function commonItem(json: JsonValue, fields: RequestFields): Item {
  if (!isJsonObject(json)) return { text: scalarText(json) ?? "", subcode: undefined, field: "", json };
  const subcode = codeOf(json);
  const field = fields.nameOf(fieldOf(json));
  const parts = [textAt(json, ["title"]), textAt(json, TEXTS)];
  const own = [...new Set(parts)].filter((part) => part !== "").join(": ");
  const text = own === "" && field !== "" ? (subcode ?? "") : own;
  const line = field === "" || text === "" || text.includes(field) ? text : `${field}: ${text}`;
  return { text, line, subcode, field, json };
}

/** Returns the path of the field that an item names; empty if the item names no field. */
function fieldOf(json: JsonObject): readonly PathStep[] {
  const { loc } = json;
  if (Array.isArray(loc)) {
    const steps = stepsOf(loc);
    const [place] = steps;
    return typeof place === "string" && PLACES.includes(place) ? steps.slice(1) : steps;
  }
  // only strings name a request field: a GraphQL `path` is a list, and leads to a field of the response
  const name = firstOf(json, FIELDS, (value) => (typeof value === "string" ? value : undefined));
  return name === undefined ? [] : [name];
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

/**
 * Reports whether an object is a single error: it has a text or a code, under a key that is not a field of
 * the request at this path.
 */
export function isError(json: JsonObject, path: readonly PathStep[], fields: RequestFields): boolean {
  return OWN.some((key) => {
    const isText = Object.hasOwn(json, key) && scalarText(json[key] ?? null) !== undefined;
    return isText && !fields.declares([...path, key]);
  });
}
