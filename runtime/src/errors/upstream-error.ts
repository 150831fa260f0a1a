import type { Code, ConnectError } from "@connectrpc/connect";
import type { ErrorRule, MethodRules } from "../adapter/rules.ts";
import { holds } from "../decode/read.ts";
import { UpstreamErrorSchema } from "../gen/connectrest/v1/upstream_error_pb.ts";
import { isJsonObject, type JsonValue } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { safeText } from "../text/safe-text.ts";
import type { Secret } from "../text/secret.ts";
import { readErrorBody } from "./error-body.ts";
import type { ErrorReport } from "./error-report.ts";
import { holdsSecret, redactDetail, redactText } from "./redact.ts";
import { connectError, type ErrorDetail, restError } from "./rest-error.ts";
import { type HeaderReader, retryDelayMs, retryInfo } from "./retry-info.ts";
import { meaningOf } from "./status.ts";

const MAX_TEXT = 300;
const MAX_RAW_BYTES = 4096;

/** An answer that is an error. */
export interface ErrorAnswer {
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
 * google.rpc.Status in the body, else by the status. Its details are google.rpc.ErrorInfo (domain: the upstream;
 * metadata: `http_status`, `subcode`, `location`), RetryInfo where the upstream says when, what the upstream itself
 * attached, and connectrest.v1.UpstreamError where the rules say so.
 *
 * @param now milliseconds since 1970
 */
export function upstreamError(answer: ErrorAnswer, rules: MethodRules, now: number): ConnectError {
  const report = readErrorBody(answer.json, rules.errorShapes);
  const rule = rules.errors.find((candidate) => fits(candidate, answer, report));
  const meaning = meaningOf(answer.status);
  if (answer.status === 401 && answer.configuredCredentials && rule?.code === undefined) {
    return credentialsRefused(answer, rules, report);
  }
  const code = rule?.code ?? report.code ?? meaning.code;
  const extras = {
    metadata: metadataOf(answer, report),
    details: detailsOf(answer, rules, report, code, now),
    cause: causeOf(answer),
  };
  if (rule === undefined && meaning.reason === "MOVED") {
    return restError("MOVED", { upstream: rules.upstream, status: answer.status }, extras);
  }
  return connectError(code as Code, textOf(answer, rules, report), rule?.reason ?? meaning.reason, {
    ...extras,
    domain: rules.upstream,
  });
}

/**
 * The error in an answer whose status means success, where a rule of the method names that very status or has a
 * condition on the body, e.g. for upstreams that send errors with 200. undefined when no such rule fits.
 */
export function errorInSuccess(
  answer: ErrorAnswer,
  rules: MethodRules,
  now: number,
): ConnectError | undefined {
  const concerned = rules.errors.filter((rule) => concernsSuccess(rule, answer.status));
  if (concerned.length === 0) return undefined;
  const report = readErrorBody(answer.json, rules.errorShapes);
  const fitting = concerned.some((rule) => fits(rule, answer, report));
  return fitting ? upstreamError(answer, rules, now) : undefined;
}

/** Whether a rule can make an error of an answer whose status means success. */
export function concernsSuccess({ status, body }: ErrorRule, answered: number): boolean {
  return status === answered || (status === 0 && body !== undefined);
}

function fits(rule: ErrorRule, answer: ErrorAnswer, { subcode }: ErrorReport): boolean {
  if (rule.status !== 0 && rule.status !== answer.status) return false;
  if (rule.subcode !== undefined && String(rule.subcode) !== (subcode ?? "0")) return false;
  if (rule.body !== undefined && !(isJsonObject(answer.json) && holds(answer.json, rule.body))) return false;
  if (rule.header === undefined) return true;
  const value = answer.header(rule.header.name.toLowerCase());
  if (value === undefined) return false;
  const { value: wanted = "" } = rule.header;
  return wanted === "" || value.trim().toLowerCase() === wanted.trim().toLowerCase();
}

/** The text of the upstream is about the gateway's credentials, so it stays in the log. */
function credentialsRefused(answer: ErrorAnswer, rules: MethodRules, report: ErrorReport): ConnectError {
  return restError(
    "UPSTREAM_CREDENTIALS",
    { upstream: rules.upstream, status: answer.status },
    { metadata: metadataOf(answer, report), cause: causeOf(answer) },
  );
}

function textOf(answer: ErrorAnswer, rules: MethodRules, report: ErrorReport): string {
  const { phrase } = meaningOf(answer.status);
  const text = report.text ?? envelopeMessage(answer, rules) ?? plainText(answer);
  const said = text === undefined ? "" : safeText(redactText(text, answer.secrets), MAX_TEXT);
  const head = `upstream ${rules.upstream} answered ${answer.status} ${phrase}`;
  return said === "" || said === phrase ? head : `${head}: ${said}`;
}

function envelopeMessage({ json }: ErrorAnswer, { envelope }: MethodRules): string | undefined {
  const message = envelope?.message === undefined ? undefined : valueAt(json, envelope.message);
  return typeof message === "string" ? message : undefined;
}

/** A line of plain text is meant to be read; a page of HTML is not. */
function plainText({ json, body, header }: ErrorAnswer): string | undefined {
  const type = header("content-type") ?? "";
  if (json !== undefined || !/^text\/plain\b/i.test(type)) return undefined;
  const text = beginningOf(body);
  return /^\s*</.test(text) ? undefined : text;
}

function metadataOf(answer: ErrorAnswer, { subcode }: ErrorReport): Record<string, string> {
  const location = answer.header("location");
  return {
    http_status: String(answer.status),
    ...(subcode !== undefined && { subcode: safeText(redactText(subcode, answer.secrets)) }),
    ...(location !== undefined &&
      answer.status >= 300 &&
      answer.status <= 399 && { location: safeText(redactText(location, answer.secrets), 2048) }),
  };
}

function detailsOf(
  answer: ErrorAnswer,
  rules: MethodRules,
  report: ErrorReport,
  code: number,
  now: number,
): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const delay = retryDelayMs(answer.header, rules.retryAfter, code, now);
  if (delay !== undefined) details.push(retryInfo(delay));
  const said = (report.details ?? []).map((detail) => redactDetail(detail, answer.secrets));
  details.push(...said.filter((detail) => detail !== undefined));
  if (rules.rawErrorBody) details.push(rawBody(answer));
  return details;
}

function rawBody({ status, header, body, truncated, secrets }: ErrorAnswer): ErrorDetail {
  // the whole body: what is cut off may end within a secret
  const text = Buffer.from(body).toString("utf8");
  const kept = holdsSecret(text, secrets) ? new Uint8Array() : body.slice(0, MAX_RAW_BYTES);
  const value = {
    httpStatus: status,
    contentType: safeText(header("content-type") ?? ""),
    body: kept,
    truncated: truncated || kept.length < body.length,
  };
  return { desc: UpstreamErrorSchema, value };
}

/** What the log gets to see of the answer. */
function causeOf({ status, body, secrets }: ErrorAnswer): Error {
  return new Error(`HTTP ${status}: ${safeText(redactText(beginningOf(body), secrets), 1000)}`);
}

function beginningOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, MAX_RAW_BYTES)).toString("utf8");
}
