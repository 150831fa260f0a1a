import { fromBinary, fromJson } from "@bufbuild/protobuf";
import { AnySchema, StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import {
  bytesFromBase64,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  knownTypes,
  plainJson,
  typeNameOf,
} from "connect-rest-codec/internal";
import { DebugInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import type { ErrorReport } from "./error-report.ts";
import { STANDARD_TYPES } from "./known-types.ts";
import type { ErrorDetail } from "./rest-error.ts";

const MAX_DETAILS = 20;

const TYPE_NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** RPC codes by the names in google.rpc.Code. The Connect protocol uses the names in lower case. */
const CODES: ReadonlyMap<string, Code> = new Map(
  Object.entries(Code).flatMap(([name, code]) =>
    typeof code === "number"
      ? [[name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(), code] as const]
      : [],
  ),
);

/**
 * Reads a google.rpc.Status as JSON, at the root or below `error`, or an error of the Connect protocol.
 * Details of known types are decoded. Other details and invalid details are converted to a
 * google.protobuf.Struct with their JSON and `@type`. DebugInfo, which is not meant for callers, and all
 * details after the first 20 are omitted.
 */
export function readRpcStatus(body: JsonValue): ErrorReport | undefined {
  if (!isJsonObject(body)) return undefined;
  const status = isJsonObject(body.error) ? body.error : body;
  // many upstreams number their errors from 1, so a number is an RPC code only next to a list of details,
  // which a Status always has
  const numbered = typeof status.code !== "number" || Array.isArray(status.details);
  const code = codeOf(status.status) ?? (numbered ? codeOf(status.code) : undefined);
  if (code === undefined) return undefined;
  const text = typeof status.message === "string" && status.message !== "" ? status.message : undefined;
  return { code, text, ...detailsOf(status.details) };
}

function codeOf(value: JsonValue | undefined): Code | undefined {
  if (typeof value === "string") return CODES.get(value === "CANCELLED" ? "CANCELED" : value.toUpperCase());
  // 0 is OK, which is not an error, and a number above 16 is an HTTP status
  return typeof value === "number" && Code[value] !== undefined ? value : undefined;
}

/** Returns the first details, and the number of omitted details. */
function detailsOf(value: JsonValue | undefined): Pick<ErrorReport, "details" | "omitted"> {
  if (!Array.isArray(value)) return { details: [] };
  const details = value.slice(0, MAX_DETAILS).flatMap(detailOf);
  return { details, ...(value.length > MAX_DETAILS && { omitted: value.length - MAX_DETAILS }) };
}

function detailOf(detail: JsonValue): ErrorDetail[] {
  if (!isJsonObject(detail)) {
    const value = plainJson(shallow(detail, MAX_STRUCT_DEPTH));
    return detail === null ? [] : [{ desc: ValueSchema, value: fromJson(ValueSchema, value) }];
  }
  const { "@type": url, type, value } = detail;
  const name = typeof url === "string" ? typeNameOf(url) : type;
  if (name === DebugInfoSchema.typeName) return [];
  const known = typeof url === "string" ? knownDetail(url, detail) : connectDetail(type, value);
  return [known ?? { desc: StructSchema, value: structOf(detail) }];
}

/**
 * Decodes a detail in the JSON format of google.protobuf.Any. Returns undefined if the type is unknown or the
 * content is invalid.
 */
function knownDetail(url: string, detail: JsonObject): ErrorDetail | undefined {
  const registry = knownTypes(STANDARD_TYPES);
  const desc = registry.getMessage(typeNameOf(url));
  if (desc === undefined) return undefined;
  try {
    const any = fromJson(AnySchema, plainJson(detail), { registry, ignoreUnknownFields: true });
    return { desc, value: fromBinary(desc, any.value) };
  } catch {
    return undefined;
  }
}

/** Decodes a detail of the Connect protocol. Its bytes are in base64, so the type need not be known. */
function connectDetail(type: JsonValue | undefined, value: JsonValue | undefined): ErrorDetail | undefined {
  if (typeof type !== "string" || !TYPE_NAME.test(type)) return undefined;
  const desc = knownTypes(STANDARD_TYPES).getMessage(type);
  try {
    if (isJsonObject(value)) {
      return desc && { desc, value: fromJson(desc, plainJson(value), { ignoreUnknownFields: true }) };
    }
    const bytes = typeof value === "string" ? bytesFromBase64(value) : undefined;
    if (bytes === undefined) return undefined;
    return desc === undefined ? { type, value: bytes } : { desc, value: fromBinary(desc, bytes) };
  } catch {
    return undefined;
  }
}

/**
 * The maximum depth of a Struct. A client accepts messages that are nested 100 levels deep, and each level of
 * a Struct takes two.
 */
const MAX_STRUCT_DEPTH = 30;
const TOO_DEEP = "(nested too deeply)";

function structOf(json: JsonObject) {
  return fromJson(StructSchema, plainJson(shallow(json, MAX_STRUCT_DEPTH)));
}

/** Returns the JSON down to a depth. A placeholder string replaces deeper values. */
function shallow<T extends JsonValue>(json: T, depth: number): T;
function shallow(json: JsonValue, depth: number): JsonValue {
  if (typeof json !== "object" || json === null) return json;
  if (depth === 0) return TOO_DEEP;
  if (Array.isArray(json)) return json.map((item) => shallow(item, depth - 1));
  return Object.fromEntries(
    Object.entries(json as JsonObject).map(([key, value]) => [key, shallow(value ?? null, depth - 1)]),
  );
}
