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
  if (isJsonObject(value) && !isOneError(value, [], fields)) return readFieldMap(value, fields);
  return reportOfItems(listOf(value), (json) => commonItem(json, fields));
}

/**
 * Reads an object whose keys are request fields, nested like the request. The errors of a field are strings
 * or objects, alone or in a list. A key may also be a path: `items.0.price`.
 */
export function readFieldMap(value: JsonValue | undefined, fields: RequestFields): ErrorReport | undefined {
  if (!isJsonObject(value)) return undefined;
  return reportOfItems(leavesOf(value, [], fields), ({ path, json }) =>
    itemOf(fields.nameOf(path), commonItem(json, fields)),
  );
}

function itemOf(field: string, { text, subcode, json }: Item): Item {
  const shown = text === "" ? (subcode ?? "") : text;
  return { text: shown, line: field === "" ? shown : `${field}: ${shown}`, subcode, field, json };
}

function leavesOf(value: JsonValue, path: readonly PathStep[], fields: RequestFields): Leaf[] {
  if (scalarText(value) !== undefined || path.length >= MAX_DEPTH) return [{ path, json: value }];
  if (Array.isArray(value)) {
    return value.flatMap((item: JsonValue, index) => {
      if (isJsonObject(item) && isError(item, path, fields)) return { path, json: item };
      return leavesOf(item, typeof item === "object" ? [...path, index] : path, fields);
    });
  }
  if (!isJsonObject(value)) return [];
  if (path.length > 0 && isOneError(value, path, fields)) return [{ path, json: value }];
  return Object.entries(value).flatMap(([key, below]) => {
    const inner = [...path, key];
    const isOfWhole = OF_THE_WHOLE.has(key) && !fields.declares(inner);
    return below === undefined ? [] : leavesOf(below, isOfWhole ? path : inner, fields);
  });
}

/** Reports whether an object is an error that does not contain a list of errors. */
function isOneError(json: JsonObject, path: readonly PathStep[], fields: RequestFields): boolean {
  return isError(json, path, fields) && !Object.values(json).some(Array.isArray);
}
