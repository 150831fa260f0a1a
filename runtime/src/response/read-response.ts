import type { JsonValue, Work } from "connect-rest-codec/internal";
import { parseJsonExactly, smallJson, TooCostly } from "connect-rest-codec/internal";
import type { MethodRules } from "../adapter/rules.ts";
import { restError } from "../errors/rest-error.ts";
import type { HeaderReader } from "../errors/retry-info.ts";
import { comparable, concernsSuccess, errorInSuccess, upstreamError } from "../errors/upstream-error.ts";
import { isSuccess, type UpstreamResponse } from "../upstream/upstream.ts";
import { type Body, readBody, readBodyInPieces, textOf } from "./body.ts";
import type { Decoded, DecodedItems } from "./decoded.ts";
import { statusOf } from "./envelope.ts";
import { headerReader } from "./headers.ts";
import { hasErrorsAlone } from "./success-errors.ts";

/** A response with a success status, and its parsed body. */
export interface ReadResponse {
  readonly status: number;
  readonly header: HeaderReader;
  readonly body: Body;
  /** The message, if it was read without parsing the body. There is then no parsed body. */
  readonly decoded?: Decoded;
  /**
   * The items, if they were read without parsing the list. The list in the body then has holes in their
   * place.
   */
  readonly items?: DecodedItems;
}

/**
 * Reads a response by the rules of its method.
 *
 * @param now milliseconds since 1970
 * @param maxCost the limit `maxResponseCost`
 * @throws ConnectError for an invalid body, and for a response that is an error because of its status, its
 *   envelope or a rule of the method
 */
export function readResponse(
  response: UpstreamResponse,
  rules: MethodRules,
  now: number,
  maxCost: number,
): ReadResponse {
  const header = headerReader(response.headers);
  if (!isSuccess(response.status, rules)) throw errorOf(response, rules, now);
  return checked(response, header, bodyOf(rules, response, header("content-type"), maxCost), rules, now);
}

/** Like `readResponse`, but in pieces, for a large body. */
export function* readResponseInPieces(
  response: UpstreamResponse,
  rules: MethodRules,
  now: number,
  maxCost: number,
): Work<ReadResponse> {
  const header = headerReader(response.headers);
  if (!isSuccess(response.status, rules)) throw errorOf(response, rules, now);
  const type = header("content-type");
  let body: Body;
  try {
    body = yield* readBodyInPieces(response.body, rules.responseEncoding, type, maxCost);
  } catch (cause) {
    body = unreadable(rules, response, type, maxCost, cause);
  }
  const check = () => checked(response, header, body, rules, now);
  return body.inPieces === undefined ? check() : yield* body.inPieces.asking(check);
}

/** Returns the response, unless its body is an error. Throws a ConnectError otherwise. */
export function checked(
  response: UpstreamResponse,
  header: HeaderReader,
  body: Body,
  rules: MethodRules,
  now: number,
): ReadResponse {
  const status = statusOf(response.status, body.value, rules.envelope);
  const asError = (json: JsonValue | undefined) => ({ ...response, status, header, json });
  if (!isSuccess(status, rules)) throw upstreamError(asError(body.exactly()), rules, now);
  if (rules.errors.some((rule) => concernsSuccess(rule, status))) {
    const error = errorInSuccess(asError(comparable(body.value, rules, body.exactly)), rules, now);
    // evaluates the error again with exact integers, which are slow to parse
    if (error !== undefined) throw errorInSuccess(asError(body.exactly()), rules, now) ?? error;
  }
  if (hasErrorsAlone(body.value, rules)) throw upstreamError(asError(body.exactly()), rules, now);
  return { status, header, body };
}

/** Returns the error of a response with an error status. */
export function errorOf(response: UpstreamResponse, rules: MethodRules, now: number): Error {
  const header = headerReader(response.headers);
  const json = smallJson(textOf(response.body, header("content-type")), parseJsonExactly);
  return upstreamError({ ...response, header, json }, rules, now);
}

function bodyOf(
  rules: MethodRules,
  response: UpstreamResponse,
  type: string | undefined,
  maxCost: number,
): Body {
  try {
    return readBody(response.body, rules.responseEncoding, type, maxCost);
  } catch (cause) {
    return unreadable(rules, response, type, maxCost, cause);
  }
}

/** Returns a substitute for a body that could not be read, if its content is not needed. */
function unreadable(
  rules: MethodRules,
  { status, body }: UpstreamResponse,
  type: string | undefined,
  maxCost: number,
  cause: unknown,
): Body {
  if (cause instanceof TooCostly) throw tooCostly(rules.upstream, maxCost, cause);
  // a redirect or a 304 that counts as success often has an HTML page as its body; that body is not needed
  if (status >= 300) return readBody(body, "empty", type);
  const broken = type !== undefined && /json/i.test(type) ? " that does not parse" : "";
  const got = `${type ?? "no Content-Type"}${broken} (${body.length} bytes)`;
  throw restError("UPSTREAM_BODY_NOT_JSON", { upstream: rules.upstream, status, got }, { cause });
}

/** Returns the error for JSON that exceeds the maximum cost of reading. */
export function tooCostly(upstream: string, limit: number, cause: TooCostly): Error {
  return restError("UPSTREAM_BODY_TOO_COSTLY", { upstream, limit }, { cause });
}
