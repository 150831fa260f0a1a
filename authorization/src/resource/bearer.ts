import { isTwice } from "../authorization-header.ts";
import type { HttpRequest } from "../host.ts";

/** The reason why a request has no usable token: the token is missing, or the request is invalid. */
export type BearerProblem = "missing" | "malformed" | "twice" | "in the query";

/** A header with a `b64token` (RFC 6750 section 2.1). */
const BEARER_PATTERN = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * Returns the bearer token of a request (RFC 6750 section 2.1), or the reason why the request has no usable
 * token.
 */
export function readBearer(request: HttpRequest): { readonly token: string } | BearerProblem {
  const { url = "", headers, rawHeaders } = request;
  const query = url.indexOf("?");
  if (query >= 0 && hasToken(url.slice(query + 1))) return "in the query";
  const { authorization } = headers;
  if (authorization === undefined) return "missing";
  if (isTwice(rawHeaders)) return "twice";
  const token = BEARER_PATTERN.exec(authorization)?.[1];
  if (token !== undefined) return { token };
  return /^Bearer(?: |$)/i.test(authorization) || !/^[!-~]+ +\S/.test(authorization)
    ? "malformed"
    : "missing";
}

/**
 * Parses the query only if it may contain this parameter, since a Connect GET query contains a whole message.
 */
function hasToken(query: string): boolean {
  return /access|%/i.test(query) && new URLSearchParams(query).has("access_token");
}
