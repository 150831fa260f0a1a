import type { ErrorShape } from "../adapter/rules.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import type { ErrorReport } from "./error-report.ts";
import { readRpcStatus } from "./rpc-status.ts";

/** The shapes that are tried where the rules of a method name none. */
export const COMMON_SHAPES: readonly ErrorShape[] = [
  { kind: "rpc_status" },
  { kind: "items", path: "errors", title: "title", code: "code", detail: "detail" },
  { kind: "oauth" },
  { kind: "items", path: "error", title: "title", code: "code", detail: "message" },
  { kind: "text", path: "error" },
  { kind: "text", path: "message" },
  { kind: "text", path: "detail" },
  { kind: "text", path: "" },
];

/**
 * Reads the body of an error. The shapes are tried in order, and the first that finds anything wins. Whatever
 * has the wrong type is passed over: no body makes this fail. Of an array in which no shape is found its first item is
 * read, since streams of one array send their errors as `[{"error": …}]`.
 */
export function readErrorBody(body: JsonValue | undefined, shapes: readonly ErrorShape[]): ErrorReport {
  if (body === undefined) return {};
  const first = Array.isArray(body) ? body[0] : undefined;
  return reportOf(body, shapes) ?? (isJsonObject(first) ? reportOf(first, shapes) : undefined) ?? {};
}

function reportOf(body: JsonValue, shapes: readonly ErrorShape[]): ErrorReport | undefined {
  for (const shape of shapes.length === 0 ? COMMON_SHAPES : shapes) {
    const report = read(body, shape);
    if (report !== undefined) return report;
  }
  return undefined;
}

function read(body: JsonValue, shape: ErrorShape): ErrorReport | undefined {
  switch (shape.kind) {
    case "items":
      return readItems(listAt(body, shape.path), shape);
    case "title_map":
      return readTitleMap(listAt(body, shape.path));
    case "text":
      return readText(valueAt(body, shape.path));
    case "oauth":
      return readOAuth(body);
    case "rpc_status":
      return readRpcStatus(body);
  }
}

/** The objects of an array, or a single one. */
function listAt(body: JsonValue, path: string): JsonObject[] {
  const value = valueAt(body, path);
  return (Array.isArray(value) ? value : [value]).filter(isJsonObject);
}

type ItemKeys = Extract<ErrorShape, { kind: "items" }>;

/** The first item with a code other than 0 is the cause, else the first one. */
function readItems(items: readonly JsonObject[], keys: ItemKeys): ErrorReport | undefined {
  const reports = items.map((item) => readItem(item, keys)).filter((report) => report !== undefined);
  return reports.find(({ subcode }) => subcode !== undefined) ?? reports[0];
}

function readItem(item: JsonObject, keys: ItemKeys): ErrorReport | undefined {
  const title = own(item, keys.title);
  const code = own(item, keys.code);
  const detail = own(item, keys.detail);
  if (![title, detail].every((value) => value === undefined || value === null || typeof value === "string")) {
    return undefined;
  }
  const text = [title, detail].filter((part) => typeof part === "string" && part !== "").join(": ");
  const subcode = readSubcode(code);
  return text === "" && subcode === undefined ? undefined : { text, subcode };
}

function readSubcode(code: JsonValue | undefined): string | undefined {
  if (typeof code !== "number" && typeof code !== "string" && typeof code !== "bigint") return undefined;
  const text = String(code).trim();
  return text === "" || text === "0" || text.length > 100 ? undefined : text;
}

function readTitleMap(maps: readonly JsonObject[]): ErrorReport | undefined {
  for (const map of maps) {
    for (const [title, detail] of Object.entries(map)) {
      if (typeof detail === "string") return { text: detail === "" ? title : `${title}: ${detail}` };
    }
  }
  return undefined;
}

function readText(value: JsonValue | undefined): ErrorReport | undefined {
  return typeof value === "string" && value.trim() !== "" ? { text: value } : undefined;
}

/** RFC 6749 section 5.2. */
function readOAuth(body: JsonValue): ErrorReport | undefined {
  const error = isJsonObject(body) ? own(body, "error") : undefined;
  const description = isJsonObject(body) ? own(body, "error_description") : undefined;
  if (typeof error !== "string" || !/^[\w.-]+$/.test(error)) return undefined;
  return { text: typeof description === "string" ? `${error}: ${description}` : error, subcode: error };
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
