import {
  createRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject as PlainJson,
} from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { DebugInfoSchema, file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import type { ErrorReport } from "./error-report.ts";
import type { ErrorDetail } from "./rest-error.ts";

const MAX_DETAILS = 20;

const registry = createRegistry(file_google_rpc_error_details);

/** RPC codes by the names of google.rpc.Code; the protocol Connect has them in lower case. */
const CODES: ReadonlyMap<string, Code> = new Map(
  Object.entries(Code).flatMap(([name, code]) =>
    typeof code === "number"
      ? [[name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(), code] as const]
      : [],
  ),
);

/**
 * Reads google.rpc.Status as JSON, bare or below `error`, and the error of the Connect protocol. Details of
 * google/rpc/error_details.proto are decoded; DebugInfo, which is not for callers, and unknown types are left out.
 */
export function readRpcStatus(body: JsonValue): ErrorReport | undefined {
  if (!isJsonObject(body)) return undefined;
  const status = isJsonObject(body.error) ? body.error : body;
  // many upstreams number their errors from 1: a bare number needs the details that always come with it
  const numbered = typeof status.code !== "number" || Array.isArray(status.details);
  const code = codeOf(status.status) ?? (numbered ? codeOf(status.code) : undefined);
  if (code === undefined) return undefined;
  const text = typeof status.message === "string" && status.message !== "" ? status.message : undefined;
  return { code, text, details: detailsOf(status.details) };
}

function codeOf(value: JsonValue | undefined): Code | undefined {
  if (typeof value === "string") return CODES.get(value === "CANCELLED" ? "CANCELED" : value.toUpperCase());
  // 0 is OK, which is no error; above 16 it is an HTTP status
  return typeof value === "number" && Code[value] !== undefined ? value : undefined;
}

function detailsOf(value: JsonValue | undefined): ErrorDetail[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_DETAILS).filter(isJsonObject).flatMap(detailOf);
}

function detailOf(detail: JsonObject): ErrorDetail[] {
  const { "@type": url, type, value, ...fields } = detail;
  const name = typeof url === "string" ? url.slice(url.lastIndexOf("/") + 1) : type;
  const desc = typeof name === "string" ? registry.getMessage(name) : undefined;
  if (desc === undefined || desc.typeName === DebugInfoSchema.typeName) return [];
  try {
    return [{ desc, value: decode(desc, typeof url === "string" ? fields : value) }];
  } catch {
    // a detail that is not what it says is no detail
    return [];
  }
}

function decode(desc: DescMessage, json: unknown) {
  if (typeof json === "string") return fromBinary(desc, Buffer.from(json, "base64"));
  return fromJson(desc, json as PlainJson, { ignoreUnknownFields: true });
}
