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
import { holdsSecret, redactDetails, redactText, shownText } from "./redact.ts";
import { connectError, type ErrorDetail, restError } from "./rest-error.ts";
import { type HeaderReader, retryDelayMs, retryInfo } from "./retry-info.ts";
import { readRpcStatus } from "./rpc-status.ts";
import { meaningOf } from "./status.ts";
import { readTextBody } from "./text-body.ts";

const MAX_TEXT = 300;
const MAX_RAW_BYTES = 4096;
/** The error shapes of a record that consists only of an error. */
const RECORD_SHAPES: MethodRules["errorShapes"] = [
  { kind: "rpc_status" },
  { kind: "text", path: "error.message" },
];
const MAX_METADATA = 1000;
const MAX_LOCATION = 2048;
const MAX_CAUSE = 1000;
const MAX_DETAIL_BYTES = 16 * 1024;

/** An error response. */
export interface ErrorResponse {
  /** The HTTP status, or the status in the body that replaces it. */
  readonly status: number;
  readonly header: HeaderReader;
  /** The parsed body. Undefined if the body is empty or not JSON. */
  readonly json: JsonValue | undefined;
  /** The raw body. */
  readonly body: Uint8Array;
  readonly truncated: boolean;
  /** Whether the call used configured credentials, not the caller's own. */
  readonly configuredCredentials: boolean;
  readonly secrets: readonly Secret[];
}

/**
 * Converts an upstream's error to the error that the caller gets. The first matching rule of the method
 * determines the code; without a matching rule, a google.rpc.Status in the body does, and otherwise the HTTP
 * status. The details are google.rpc.ErrorInfo (domain: the upstream; metadata: `http_status`, `subcode`,
 * `location`, and keys that the rules name), RetryInfo if the upstream states a delay, the upstream's own
 * details, up to 16 KiB, and connectrest.v1.UpstreamError if the rules enable it. The runtime's ErrorInfo is
 * always first, since rules determine its reason and domain. An ErrorInfo of the upstream follows unchanged,
 * with its own domain. `details_omitted` in the metadata is the number of details that did not fit.
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
 * Returns the error in a response with a success status, e.g. from an upstream that sends errors with 200. A
 * rule of the method has to name the status, or have a condition on the body. Returns undefined if no such
 * rule matches.
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
 * Returns the error in a stream record that is itself an error. The only key of such a record is `error`,
 * with a string, or an object with a code or a message. Google's streams and grpc-gateway streams end like
 * this, with and without a list of details. An HTTP status in the record replaces the status of the response.
 * Returns undefined for other records.
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
  // such a record can only be an error, so a Status without a list of details is valid here
  const whole = isStatus ? json : { error: { details: [], ...error } };
  return upstreamError({ ...response, json: whole, status }, { ...rules, errorShapes: RECORD_SHAPES }, now);
}

/** Reports whether a rule can turn a response with a success status into an error. */
export function concernsSuccess({ status = 0, body }: ErrorRule, responded: number): boolean {
  return status === responded || (status === 0 && body !== undefined);
}

/**
 * Returns the JSON for evaluating the conditions of a method's rules. The numbers are exact if a condition
 * compares a number that JSON.parse has rounded.
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

/**
 * Returns an error without the upstream's text. That text concerns the gateway's credentials, so it is only
 * logged.
 */
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
 * Reports whether a text only repeats the status line, as error pages of proxies do: `502 Bad Gateway`,
 * `Error 404 (Not Found)!`.
 */
function repeatsStatus(said: string, status: number, phrase: string): boolean {
  const rest = said.toLowerCase().replace(phrase.toLowerCase(), "").replace(String(status), "");
  return !/[\p{L}\p{N}]/u.test(rest.replace(/\b(?:http(?:\/\d(?:\.\d)?)?|status|code|error)\b/g, ""));
}

/** Reads the body: JSON by the rules of the method, and other text by its content type. */
function reportOf({ json, body, header, secrets }: ErrorResponse, rules: MethodRules): ErrorReport {
  if (json !== undefined) {
    const report = readErrorBody(json, rules.errorShapes, rules.envelope, rules.input);
    return hasText(report) ? report : { ...report, ...titleOf(json, header) };
  }
  return readTextBody(header("content-type") ?? "", redactText(lookedAt(body), secrets));
}

/**
 * Returns the title of a problem that is recognized by its content type. Its other members are optional (RFC
 * 9457 section 3.1).
 */
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

/** Returns the body keys that rules pass to callers: strings unchanged, other values as JSON. */
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
  // limits the details before redaction, since they may be as large as the body
  const clean = redactDetails(withinBytes(said, MAX_DETAIL_BYTES), response.secrets);
  const kept = withinBytes(clean, MAX_DETAIL_BYTES);
  details.push(...kept);
  if (rules.rawErrorBody) details.push(rawBody(response));
  return { details, omitted: (report.omitted ?? 0) + said.length - kept.length };
}

/** Returns the first details that fit. Details are sent in trailers, whose size clients limit. */
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

/** Returns the part of the response that is meant for the log. */
function causeOf({ status, body, secrets }: ErrorResponse): Error {
  return new Error(`HTTP ${status}: ${shownText(lookedAt(body), secrets, MAX_CAUSE)}`);
}

/**
 * Returns the beginning of a body. The result is longer than the part that is shown, since the end of that
 * part may split a secret.
 */
function lookedAt(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 2 * MAX_RAW_BYTES)).toString("utf8");
  return bytes.length > 2 * MAX_RAW_BYTES ? `${text}…` : text;
}
