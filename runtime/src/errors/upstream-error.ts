import { create, toBinary } from "@bufbuild/protobuf";
import type { Code, ConnectError } from "@connectrpc/connect";
import {
  comparesRounded,
  holds,
  isJsonObject,
  type JsonValue,
  rawJson,
  valueAt,
} from "connect-rest-codec/internal";
import type { ErrorMetadataRule, ErrorRule, MethodRules } from "../adapter/rules.ts";
import { UpstreamErrorSchema } from "../gen/connectrest/v1/upstream_error_pb.ts";
import type { Secret } from "../text/secret.ts";
import { readErrorBody } from "./error-body.ts";
import { type ErrorReport, hasText } from "./error-report.ts";
import { holdsSecret, redactDetail, redactText, shownText } from "./redact.ts";
import { connectError, type ErrorDetail, restError } from "./rest-error.ts";
import { type HeaderReader, retryDelayMs, retryInfo } from "./retry-info.ts";
import { readRpcStatus } from "./rpc-status.ts";
import { meaningOf } from "./status.ts";
import { readTextBody } from "./text-body.ts";

const MAX_TEXT = 300;
const MAX_RAW_BYTES = 4096;
/** What a record of a stream may be that is nothing but an error. */
const RECORD_SHAPES: MethodRules["errorShapes"] = [
  { kind: "rpc_status" },
  { kind: "text", path: "error.message" },
];
const MAX_METADATA = 1000;
const MAX_LOCATION = 2048;
const MAX_CAUSE = 1000;
const MAX_DETAIL_BYTES = 16 * 1024;

/** A response that is an error. */
export interface ErrorResponse {
  /** The status that counts. */
  readonly status: number;
  readonly header: HeaderReader;
  /** The parsed body; undefined when it is empty or not JSON. */
  readonly json: JsonValue | undefined;
  /** The body as it came. */
  readonly body: Uint8Array;
  readonly truncated: boolean;
  /** The call carried credentials of the configuration, not the caller's own. */
  readonly configuredCredentials: boolean;
  readonly secrets: readonly Secret[];
}

/**
 * The error a caller gets for an upstream's error: by the first rule of the method that fits, else by a
 * google.rpc.Status in the body, else by the status. Its details are google.rpc.ErrorInfo (domain: the
 * upstream; metadata: `http_status`, `subcode`, `location`, and what the rules name), RetryInfo where the
 * upstream says when, what the upstream itself attached, up to 16 KiB, and connectrest.v1.UpstreamError where
 * the rules say so. Our ErrorInfo comes first, since its reason and domain follow from the rules, whatever
 * the upstream sends; one of the upstream's follows as it came, with a domain of its own. `details_omitted`
 * in the metadata counts details that did not fit.
 *
 * @param now milliseconds since 1970
 */
export function upstreamError(response: ErrorResponse, rules: MethodRules, now: number): ConnectError {
  const report = reportOf(response, rules);
  const rule = rules.errors.find((candidate) => fits(candidate, response, report));
  const meaning = meaningOf(response.status);
  if (response.status === 401 && response.configuredCredentials && rule?.code === undefined) {
    return credentialsRejected(response, rules, report);
  }
  const code = rule?.code ?? report.code ?? meaning.code;
  const { details, omitted } = detailsOf(response, rules, report, code, now);
  const extras = {
    metadata: {
      ...metadataOf(response, rules, report),
      ...(omitted > 0 && { details_omitted: String(omitted) }),
    },
    details,
    cause: causeOf(response),
  };
  if (rule === undefined && meaning.reason === "MOVED") {
    return restError("MOVED", { upstream: rules.upstream, status: response.status }, extras);
  }
  return connectError(code as Code, textOf(response, rules, report), rule?.reason ?? meaning.reason, {
    ...extras,
    domain: rules.upstream,
  });
}

/**
 * The error in a response whose status means success, where a rule of the method names that very status or
 * has a condition on the body, e.g. for upstreams that send errors with 200.
 * undefined when no such rule fits.
 */
export function errorInSuccess(
  response: ErrorResponse,
  rules: MethodRules,
  now: number,
): ConnectError | undefined {
  const concerned = rules.errors.filter((rule) => concernsSuccess(rule, response.status));
  if (concerned.length === 0) return undefined;
  const report = reportOf(response, rules);
  const fitting = concerned.some((rule) => fits(rule, response, report));
  return fitting ? upstreamError(response, rules, now) : undefined;
}

/**
 * The error that a record of a stream is by itself: it has nothing but `error`, with a text or an object with
 * a code or a message, as Google's streams and those of grpc-gateway end, with and without a list of details.
 * An HTTP status in it is the one that counts. undefined for other records.
 */
export function errorInStatus(
  response: ErrorResponse,
  rules: MethodRules,
  now: number,
): ConnectError | undefined {
  const { json } = response;
  if (!isJsonObject(json) || Object.keys(json).length !== 1) return undefined;
  const { error } = json;
  if (typeof error === "string" && error !== "") return upstreamError(response, rules, now);
  if (!isJsonObject(error)) return undefined;
  const { code, message } = error;
  const isStatus = readRpcStatus(json) !== undefined;
  if (!isStatus && typeof code !== "number" && typeof message !== "string") return undefined;
  const status = typeof code === "number" && code >= 400 && code <= 599 ? code : response.status;
  // where an error can be nothing else, a status that left out its empty list of details is one too
  const whole = isStatus ? json : { error: { details: [], ...error } };
  return upstreamError({ ...response, json: whole, status }, { ...rules, errorShapes: RECORD_SHAPES }, now);
}

/** Whether a rule can make an error of a response whose status means success. */
export function concernsSuccess({ status = 0, body }: ErrorRule, responded: number): boolean {
  return status === responded || (status === 0 && body !== undefined);
}

/**
 * The JSON that the conditions of a method's rules are asked of: as it came, where they compare a number that
 * JSON.parse has rounded.
 */
export function comparable(
  json: JsonValue | undefined,
  { errors }: MethodRules,
  exactly: () => JsonValue | undefined,
): JsonValue | undefined {
  if (!isJsonObject(json)) return json;
  const isRounded = errors.some(({ body }) => body !== undefined && comparesRounded(json, body));
  return isRounded ? (exactly() ?? json) : json;
}

function fits(rule: ErrorRule, response: ErrorResponse, { subcode }: ErrorReport): boolean {
  if ((rule.status ?? 0) !== 0 && rule.status !== response.status) return false;
  if (rule.subcode !== undefined && String(rule.subcode) !== (subcode ?? "0")) return false;
  if (rule.body !== undefined && !(isJsonObject(response.json) && holds(response.json, rule.body))) {
    return false;
  }
  if (rule.header === undefined) return true;
  const value = response.header(rule.header.name.toLowerCase());
  if (value === undefined) return false;
  const { value: wanted = "" } = rule.header;
  return wanted === "" || value.trim().toLowerCase() === wanted.trim().toLowerCase();
}

/** The text of the upstream is about the gateway's credentials, so it stays in the log. */
function credentialsRejected(response: ErrorResponse, rules: MethodRules, report: ErrorReport): ConnectError {
  return restError(
    "UPSTREAM_CREDENTIALS",
    { upstream: rules.upstream, status: response.status },
    { metadata: metadataOf(response, rules, report), cause: causeOf(response) },
  );
}

function textOf(response: ErrorResponse, rules: MethodRules, report: ErrorReport): string {
  const { phrase } = meaningOf(response.status);
  const said = shownText(report.text ?? "", response.secrets, MAX_TEXT);
  const head = `upstream ${rules.upstream} responded with ${response.status} ${phrase}`;
  return repeatsStatus(said, response.status, phrase) ? head : `${head}: ${said}`;
}

/**
 * Whether a text says no more than the status line, as the pages of proxies do: `502 Bad Gateway`,
 * `Error 404 (Not Found)!`.
 */
function repeatsStatus(said: string, status: number, phrase: string): boolean {
  const rest = said.toLowerCase().replace(phrase.toLowerCase(), "").replace(String(status), "");
  return !/[\p{L}\p{N}]/u.test(rest.replace(/\b(?:http(?:\/\d(?:\.\d)?)?|status|code|error)\b/g, ""));
}

/** What the body says: JSON by the rules of the method, and text as its type is. */
function reportOf({ json, body, header, secrets }: ErrorResponse, rules: MethodRules): ErrorReport {
  if (json !== undefined) {
    const report = readErrorBody(json, rules.errorShapes, rules.envelope);
    return hasText(report) ? report : { ...report, ...titleOf(json, header) };
  }
  return readTextBody(header("content-type") ?? "", redactText(lookedAt(body), secrets));
}

/** The title of a problem by its content type: its other members may be absent (RFC 9457 section 3.1). */
function titleOf(json: JsonValue, header: HeaderReader): Pick<ErrorReport, "text"> {
  const isProblem = /^application\/problem\+json\s*(?:;|$)/i.test(header("content-type") ?? "");
  const title = isProblem && isJsonObject(json) ? json.title : undefined;
  return typeof title === "string" && title !== "" ? { text: title } : {};
}

function metadataOf(
  response: ErrorResponse,
  { errorMetadata = [] }: MethodRules,
  { subcode }: ErrorReport,
): Record<string, string> {
  const location = response.header("location");
  return {
    ...bodyMetadata(response, errorMetadata),
    http_status: String(response.status),
    ...(subcode !== undefined && { subcode: shownText(subcode, response.secrets) }),
    ...(location !== undefined &&
      response.status >= 300 &&
      response.status <= 399 && { location: shownText(location, response.secrets, MAX_LOCATION) }),
  };
}

/** Keys of the body that rules pass on; text as it is, all else as JSON. */
function bodyMetadata(
  { json, secrets }: ErrorResponse,
  rules: readonly ErrorMetadataRule[],
): Record<string, string> {
  const entries = rules.flatMap(({ key, path }) => {
    const value = valueAt(json, path);
    const text = typeof value === "string" ? value : value === null ? undefined : rawJson(value ?? null).text;
    if (value === undefined || text === undefined) return [];
    return [[key, shownText(text, secrets, MAX_METADATA)] as const];
  });
  return Object.fromEntries(entries);
}

function detailsOf(
  response: ErrorResponse,
  rules: MethodRules,
  report: ErrorReport,
  code: number,
  now: number,
): { readonly details: ErrorDetail[]; readonly omitted: number } {
  const details: ErrorDetail[] = [];
  const delay = retryDelayMs(response.header, rules.retryAfter, code, now, response.json);
  if (delay !== undefined) details.push(retryInfo(delay));
  const said = report.details ?? [];
  // before they are searched: details may be as large as the body
  const clean = withinBytes(said, MAX_DETAIL_BYTES)
    .map((detail) => redactDetail(detail, response.secrets))
    .filter((detail) => detail !== undefined);
  const kept = withinBytes(clean, MAX_DETAIL_BYTES);
  details.push(...kept);
  if (rules.rawErrorBody) details.push(rawBody(response));
  return { details, omitted: (report.omitted ?? 0) + said.length - kept.length };
}

/** Those details, one after the other, that fit together: they travel in trailers, which clients limit. */
function withinBytes(details: readonly ErrorDetail[], max: number): ErrorDetail[] {
  let left = max;
  return details.filter((detail) => {
    const size =
      "type" in detail
        ? detail.value.length
        : toBinary(detail.desc, create(detail.desc, detail.value)).length;
    if (size > left) return false;
    left -= size;
    return true;
  });
}

function rawBody({ status, header, body, truncated, secrets }: ErrorResponse): ErrorDetail {
  const kept = holdsSecret(lookedAt(body), secrets) ? new Uint8Array() : body.slice(0, MAX_RAW_BYTES);
  const value = {
    httpStatus: status,
    contentType: shownText(header("content-type") ?? "", secrets),
    body: kept,
    truncated: truncated || kept.length < body.length,
  };
  return { desc: UpstreamErrorSchema, value };
}

/** What the log gets to see of the response. */
function causeOf({ status, body, secrets }: ErrorResponse): Error {
  return new Error(`HTTP ${status}: ${shownText(lookedAt(body), secrets, MAX_CAUSE)}`);
}

/** The beginning of a body: more of it is looked at than is kept, since a secret may stand at the cut. */
function lookedAt(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 2 * MAX_RAW_BYTES)).toString("utf8");
  return bytes.length > 2 * MAX_RAW_BYTES ? `${text}…` : text;
}
