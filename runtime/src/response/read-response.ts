import type { MethodRules } from "../adapter/rules.ts";
import { restError } from "../errors/rest-error.ts";
import type { HeaderReader } from "../errors/retry-info.ts";
import { comparable, concernsSuccess, errorInSuccess, upstreamError } from "../errors/upstream-error.ts";
import type { JsonValue } from "../json/json.ts";
import { JsonTooCostly } from "../json/json-cost.ts";
import { parseJsonExactly } from "../json/parse-json.ts";
import { isSuccess, type UpstreamResponse } from "../upstream/upstream.ts";
import { type Body, EMPTY_BODY, readBody, textOf } from "./body.ts";
import type { Decoded } from "./decoded.ts";
import { hasErrorsAlone, statusOf } from "./envelope.ts";
import { headerReader } from "./headers.ts";

/** A response whose status means success, its body read. */
export interface ReadResponse {
  readonly status: number;
  readonly header: HeaderReader;
  readonly body: Body;
  /** The message in it, where it was read without parsing the body, which is then left out. */
  readonly decoded?: Decoded;
}

/** Reads the message of a response in another way than by parsing its body; undefined where that has to be. */
export type Scan = (response: UpstreamResponse, contentType: string | undefined) => Decoded | undefined;

/**
 * Reads a response by the rules of its method.
 *
 * @param now milliseconds since 1970
 * @param maxCost the limit `maxResponseCost`
 * @param scan is asked first, where the whole response is to be one message
 * @throws ConnectError for a response that is an error, by its status, its envelope or a rule of the method, and
 *   for one whose body is not what it should be
 */
export function readResponse(
  response: UpstreamResponse,
  rules: MethodRules,
  now: number,
  maxCost: number,
  scan?: Scan,
): ReadResponse {
  const header = headerReader(response.headers);
  if (!isSuccess(response.status, rules)) throw errorOf(response, rules, now);
  const decoded = scan?.(response, header("content-type"));
  if (decoded !== undefined) return { status: response.status, header, body: EMPTY_BODY, decoded };
  const body = bodyOf(rules, response, header("content-type"), maxCost);
  const status = statusOf(response.status, body.value, rules.envelope);
  const asError = (json: JsonValue | undefined) => ({ ...response, status, header, json });
  if (!isSuccess(status, rules)) throw upstreamError(asError(body.exactly()), rules, now);
  if (rules.errors.some((rule) => concernsSuccess(rule, status))) {
    const error = errorInSuccess(asError(comparable(body.value, rules, body.exactly)), rules, now);
    // once more with exact integers, which are read slowly
    if (error !== undefined) throw errorInSuccess(asError(body.exactly()), rules, now) ?? error;
  }
  if (hasErrorsAlone(body.value, rules.envelope)) throw upstreamError(asError(body.exactly()), rules, now);
  return { status, header, body };
}

/** The error in a response whose status is one. */
export function errorOf(response: UpstreamResponse, rules: MethodRules, now: number): Error {
  const header = headerReader(response.headers);
  return upstreamError(
    { ...response, header, json: leniently(response, header("content-type")) },
    rules,
    now,
  );
}

function bodyOf(
  rules: MethodRules,
  { status, body }: UpstreamResponse,
  type: string | undefined,
  maxCost: number,
): Body {
  try {
    return readBody(body, rules.responseEncoding, type, maxCost);
  } catch (cause) {
    if (cause instanceof JsonTooCostly) throw tooCostly(rules.upstream, maxCost, cause);
    // a redirect or a 304 that is a response often has a page of HTML, which nobody means to read
    if (status >= 300) return readBody(body, "empty", type);
    const got = `${type ?? "no Content-Type"} (${body.length} bytes)`;
    throw restError("UPSTREAM_BODY_NOT_JSON", { upstream: rules.upstream, status, got }, { cause });
  }
}

/** The error of JSON that costs more to read than an upstream may ask for. */
export function tooCostly(upstream: string, limit: number, cause: JsonTooCostly): Error {
  return restError("UPSTREAM_BODY_TOO_COSTLY", { upstream, limit }, { cause });
}

function leniently({ body }: UpstreamResponse, type: string | undefined): JsonValue | undefined {
  try {
    return parseJsonExactly(textOf(body, type));
  } catch {
    return undefined;
  }
}
