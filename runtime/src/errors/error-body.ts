import type { EnvelopeRule, ErrorShape } from "../adapter/rules.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { readFieldMap, readItems, readTitleMap } from "./error-items.ts";
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

const PLAIN_ITEMS = { kind: "items", title: "title", code: "code", detail: "detail" } as const;

/**
 * Reads the body of an error. The shapes are tried in order, and the first that finds anything wins; if it finds no text,
 * the next that does gives it. Where no shape finds anything, a list at the envelope's `errors`, or at `errors` within its
 * payload, is read; then, of an array, its first item, since streams of one array send their errors as `[{"error": …}]`.
 * Whatever has the wrong type is passed over: no body makes this fail.
 */
export function readErrorBody(
  body: JsonValue | undefined,
  shapes: readonly ErrorShape[],
  envelope?: EnvelopeRule,
): ErrorReport {
  if (body === undefined) return {};
  const first = Array.isArray(body) ? body[0] : undefined;
  const all = [...(shapes.length === 0 ? COMMON_SHAPES : shapes), ...shapesOf(envelope)];
  return reportOf(body, all) ?? (isJsonObject(first) ? reportOf(first, all) : undefined) ?? {};
}

function reportOf(body: JsonValue, shapes: readonly ErrorShape[]): ErrorReport | undefined {
  let found: ErrorReport | undefined;
  for (const shape of shapes) {
    const report = read(body, shape);
    if (report === undefined) continue;
    if (hasText(report)) return found === undefined ? report : { ...found, text: report.text };
    found ??= report;
  }
  return found;
}

function hasText({ text }: ErrorReport): boolean {
  return text !== undefined && text !== "";
}

function shapesOf(envelope: EnvelopeRule | undefined): ErrorShape[] {
  if (envelope === undefined) return [];
  const paths = envelope.payload.filter((path) => path !== "").map((path) => `${path}.errors`);
  return [...(envelope.errors === undefined ? [] : [envelope.errors]), ...paths].map((path) => ({
    ...PLAIN_ITEMS,
    path,
  }));
}

function read(body: JsonValue, shape: ErrorShape): ErrorReport | undefined {
  switch (shape.kind) {
    case "items":
      return readItems(valueAt(body, shape.path), shape);
    case "title_map":
      return readTitleMap(valueAt(body, shape.path));
    case "field_map":
      return readFieldMap(valueAt(body, shape.path));
    case "text":
      return readText(valueAt(body, shape.path));
    case "oauth":
      return readOAuth(body);
    case "rpc_status":
      return readRpcStatus(body);
  }
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
