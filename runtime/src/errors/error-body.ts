import type { DescMessage } from "@bufbuild/protobuf";
import { isJsonObject, type JsonValue, ownValue, valueAt } from "connect-rest-codec/internal";
import type { EnvelopeRule, ErrorShape } from "../adapter/rules.ts";
import { COMMON_BODIES } from "./common-bodies.ts";
import { readItems, readTitleMap } from "./error-items.ts";
import { type ErrorReport, hasText } from "./error-report.ts";
import { readErrors, readFieldMap } from "./error-tree.ts";
import { type RequestFields, requestFields } from "./request-fields.ts";
import { readRpcStatus } from "./rpc-status.ts";

type Reader = (body: JsonValue, fields: RequestFields) => ErrorReport | undefined;

const COMMON: readonly Reader[] = COMMON_BODIES.map((common) => common.read);

/**
 * Reads the body of an error. Tries the shapes of the method in order, then the error lists that its envelope
 * names, and uses the first match. If the first match has no text, the next match provides the text. For a
 * method without shapes, the common bodies replace the shapes. For a method with shapes, the common bodies
 * provide only a missing text, since rules determine codes and reasons. If no match has a text, the message
 * of the envelope is used. If the body is an array, its first item is read, since streams that are one array
 * send errors as `[{"error": …}]`. Values of unexpected types are skipped: this function accepts every body.
 */
export function readErrorBody(
  body: JsonValue | undefined,
  shapes: readonly ErrorShape[],
  envelope?: EnvelopeRule,
  input?: DescMessage,
): ErrorReport {
  if (body === undefined) return {};
  const readers = readersOf(shapes, envelope);
  const fields = requestFields(input);
  const first = Array.isArray(body) ? body[0] : undefined;
  return (
    reportOf(body, readers, fields) ??
    (isJsonObject(first) ? reportOf(first, readers, fields) : undefined) ??
    (Array.isArray(body) ? readErrors(body, fields) : undefined) ??
    {}
  );
}

function readersOf(shapes: readonly ErrorShape[], envelope: EnvelopeRule | undefined): readonly Reader[] {
  const { payload = [], errors, message } = envelope ?? {};
  const listAt =
    (path: string): Reader =>
    (body, fields) =>
      readErrors(valueAt(body, path), fields);
  const ofEnvelope = errors === undefined ? [] : [listAt(errors)];
  const ofPayload = payload.filter((path) => path !== "").map((path) => listAt(`${path}.errors`));
  const ofMessage = message === undefined ? [] : [(body: JsonValue) => readText(valueAt(body, message))];
  const own = shapes.map(
    (shape): Reader =>
      (body, fields) =>
        read(body, shape, fields),
  );
  return shapes.length === 0
    ? [...ofEnvelope, ...COMMON, ...ofPayload, ...ofMessage]
    : [...own, ...ofEnvelope, ...ofPayload, ...COMMON.map(textOnly), ...ofMessage];
}

function textOnly(read: Reader): Reader {
  return (body, fields) => {
    const report = read(body, fields);
    return report !== undefined && hasText(report) ? { text: report.text } : undefined;
  };
}

function reportOf(
  body: JsonValue,
  readers: readonly Reader[],
  fields: RequestFields,
): ErrorReport | undefined {
  let found: ErrorReport | undefined;
  for (const read of readers) {
    const report = read(body, fields);
    if (report === undefined) continue;
    if (hasText(report)) return found === undefined ? report : { ...found, text: report.text };
    found ??= report;
  }
  return found;
}

function read(body: JsonValue, shape: ErrorShape, fields: RequestFields): ErrorReport | undefined {
  switch (shape.kind) {
    case "items":
      return readItems(valueAt(body, shape.path), shape, fields);
    case "title_map":
      return readTitleMap(valueAt(body, shape.path));
    case "field_map":
      return readFieldMap(valueAt(body, shape.path), fields);
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

/** Reads an error response of RFC 6749 section 5.2. */
function readOAuth(body: JsonValue): ErrorReport | undefined {
  const error = isJsonObject(body) ? ownValue(body, "error") : undefined;
  const description = isJsonObject(body) ? ownValue(body, "error_description") : undefined;
  if (typeof error !== "string" || !/^[\w.-]+$/.test(error)) return undefined;
  return { text: typeof description === "string" ? `${error}: ${description}` : error, subcode: error };
}
