/** Reads objects of field names with errors, nested like the request. */
import { isJsonObject, type JsonObject, type JsonValue } from "connect-rest-codec/internal";
import { commonItem, isError } from "./common-items.ts";
import { type Item, listOf, reportOfItems, scalarText } from "./error-items.ts";
import type { ErrorReport } from "./error-report.ts";
import type { PathStep } from "./field-notation.ts";
import type { RequestFields } from "./request-fields.ts";

const MAX_DEPTH = 32;

/** Keys for errors of the whole object, in place of a field: ASP.NET, zod, Django, Rails. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(["", "_errors", "__all__", "non_field_errors", "base"]);

/** An error, with the path to the field that it concerns. */
interface Leaf {
  readonly path: readonly PathStep[];
  readonly json: JsonValue;
}

/**
 * Reads the errors below a key such as `errors`: a list of objects or strings, a single object or string, or
 * a tree of fields.
 */
export function readErrors(value: JsonValue | undefined, fields: RequestFields): ErrorReport | undefined {
  const isTree =
    isJsonObject(value) && !(isError(value, [], fields) && !Object.values(value).some(Array.isArray));
  if (isTree) return readFieldMap(value, fields);
  return reportOfItems(listOf(value), (json) => commonItem(json, fields));
}

/**
 * Reads an object whose keys are request fields, nested like the request. The errors of a field are strings
 * or objects, alone or in a list. A key may also be a path: `items.0.price`.
 */
export function readFieldMap(value: JsonValue | undefined, fields: RequestFields): ErrorReport | undefined {
  if (!isJsonObject(value)) return undefined;
  const leaves: Leaf[] = [];
  collect(value, [], fields, leaves);
  return reportOfItems(leaves, ({ path, json }) => itemOf(fields.nameOf(path), commonItem(json, fields)));
}

function itemOf(field: string, { text, subcode, json }: Item): Item {
  const shown = text === "" ? (subcode ?? "") : text;
  return { text: shown, line: field === "" ? shown : `${field}: ${shown}`, subcode, field, json };
}

function collect(value: JsonValue, path: readonly PathStep[], fields: RequestFields, into: Leaf[]): void {
  if (scalarText(value) !== undefined || path.length >= MAX_DEPTH) {
    into.push({ path, json: value });
  } else if (Array.isArray(value)) {
    value.forEach((item: JsonValue, index) => {
      if (isJsonObject(item) && isError(item, path, fields)) {
        into.push({ path, json: item });
      } else {
        collect(item, typeof item === "object" ? [...path, index] : path, fields, into);
      }
    });
  } else if (isJsonObject(value)) {
    collectKeys(value, path, fields, into);
  }
}

function collectKeys(json: JsonObject, path: readonly PathStep[], fields: RequestFields, into: Leaf[]): void {
  if (path.length > 0 && isError(json, path, fields) && !Object.values(json).some(Array.isArray)) {
    into.push({ path, json });
    return;
  }
  for (const [key, value] of Object.entries(json)) {
    const inner = [...path, key];
    const isOfWhole = OF_THE_WHOLE.has(key) && !fields.declares(inner);
    if (value !== undefined) collect(value, isOfWhole ? path : inner, fields, into);
  }
}
