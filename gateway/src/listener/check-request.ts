import type { IncomingMessage } from "node:http";
import type { Limits } from "../limits.ts";
import { show } from "../text/show.ts";
import { isAuthority } from "./authority.ts";
import { type HttpRequest, isHttp2 } from "./http.ts";
import type { Http2Request } from "./http2-message.ts";
import type { HttpRejection } from "./rejection.ts";
import { READ_AHEAD } from "./wire-heads.ts";

/**
 * Checks the request line and the headers of a request; returns the rejection, or undefined for a valid
 * request. Later code relies on exactly one well-formed authority (RFC 9112 section 3.2, RFC 9113 section
 * 8.3.1), a target that starts with `/`, and headers within the limits.
 *
 * @param headBytes the size of the head on an HTTP/1 connection: see `WireHeads`
 */
export function checkRequest(
  request: HttpRequest,
  headBytes: number,
  limits: Limits,
): HttpRejection | undefined {
  return (
    checkVersion(request) ??
    checkSizes(request, limits) ??
    checkPadding(headBytes, limits) ??
    checkExpectation(request) ??
    checkCodings(request) ??
    checkTarget(request) ??
    checkAuthority(request)
  );
}

/**
 * Rewrites the absolute form of a request target (RFC 9112 section 3.2.2), which every server must accept, to
 * the origin form. Its authority replaces the Host header. Invalid addresses, repeated Host headers and a
 * malformed Host header are not changed here; later checks reject them.
 */
export function useOriginForm(request: HttpRequest): void {
  if (request.url?.startsWith("/") === true) return;
  const [, authority = "", rest = ""] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(request.url ?? "") ?? [];
  if (!isAuthority(authority) || isHttp2(request)) return;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = authority;
}

function checkVersion(request: HttpRequest): HttpRejection | undefined {
  const { httpVersion } = request;
  if (isHttp2(request) || ["1.0", "1.1"].includes(httpVersion)) return undefined;
  if (request.httpVersionMajor === 2) {
    return badRequest(
      "the request line says HTTP/2, which has none; speak HTTP/1.1, or begin with its preface",
    );
  }
  const message = `HTTP/1.0, 1.1 and 2 are spoken here; the request is HTTP/${httpVersion}`;
  return { status: 505, code: "unimplemented", message };
}

/**
 * Rejects every expectation except the only defined one (RFC 9110 section 10.1.1), to which the server has
 * already responded.
 */
function checkExpectation({ headers, method }: HttpRequest): HttpRejection | undefined {
  if (method === "CONNECT") {
    const message = "CONNECT is not served here; call methods by POST";
    return { status: 405, code: "unimplemented", message, headers: { allow: "GET, HEAD, POST, OPTIONS" } };
  }
  const { expect } = headers;
  if (expect === undefined || expect.toLowerCase() === "100-continue") return undefined;
  const message = `the expectation ${show(expect)} cannot be met; 100-continue is the only one that can`;
  return { status: 417, code: "unimplemented", message };
}

/**
 * Accepts only the chunked transfer coding (RFC 9112 section 6.1). Node ignores codings that were applied
 * before the chunked coding, so a proxy in front of the gateway may read a different body. The same applies
 * to HTTP/1.0 bodies, because HTTP/1.0 has no chunked coding.
 */
function checkCodings({ headers, httpVersion }: HttpRequest): HttpRejection | undefined {
  const codings = headers["transfer-encoding"];
  if (codings === undefined) return undefined;
  if (httpVersion === "1.0") return badRequest("HTTP/1.0 has no transfer codings; send a Content-Length");
  if (codings.toLowerCase() === "chunked") return undefined;
  const message = `the transfer coding ${show(codings)} is not known here; chunked is the only one that is`;
  return { status: 501, code: "unimplemented", message, reason: "PROTOCOL_UNSUPPORTED" };
}

function checkSizes(request: HttpRequest, limits: Limits): HttpRejection | undefined {
  const url = request.url ?? "";
  if (url.length > limits.urlBytes) {
    const message = `the request target has ${url.length} bytes; the limit urlBytes is ${limits.urlBytes}`;
    return { status: 414, code: "resource_exhausted", message, limit: "urlBytes" };
  }
  const bytes = headerBytes(request.rawHeaders, isHttp2(request) ? 32 : 4);
  if (bytes > limits.headerBytes) {
    const message = `the headers have ${bytes} bytes; the limit headerBytes is ${limits.headerBytes}`;
    return { status: 431, code: "resource_exhausted", message, limit: "headerBytes" };
  }
  const count = request.rawHeaders.length / 2;
  if (count > limits.headerCount) {
    const message = `the request has ${count} headers or more; the limit headerCount is ${limits.headerCount}`;
    return { status: 431, code: "resource_exhausted", message, limit: "headerCount" };
  }
  return undefined;
}

/**
 * Limits the spaces and empty lines in a head: they are not part of a header, but the server has to read
 * them.
 */
function checkPadding(headBytes: number, { headerBytes, urlBytes }: Limits): HttpRejection | undefined {
  if (headBytes <= headerBytes + urlBytes + READ_AHEAD) return undefined;
  const message = `the head of the request has more spaces or empty lines than headerBytes, ${headerBytes} bytes, allows`;
  return { status: 431, code: "resource_exhausted", message, limit: "headerBytes" };
}

/**
 * Returns the size of headers, either as on the wire, with `: ` and a line end, or as RFC 9113 section 6.5.2
 * counts it, with 32 extra bytes for each header. Node accepts larger headers than the limit, so that the
 * gateway can reject them in the format of the protocol.
 */
function headerBytes(rawHeaders: readonly string[], overhead: number): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + overhead / 2, 0);
}

function checkTarget(request: HttpRequest): HttpRejection | undefined {
  const url = request.url ?? "";
  if (url.startsWith("/") || (url === "*" && request.method === "OPTIONS")) return undefined;
  return badRequest(`the request target must be a path that starts with "/"; it is ${show(url)}`);
}

function checkAuthority(request: HttpRequest): HttpRejection | undefined {
  return isHttp2(request) ? checkHttp2Authority(request) : checkHost(request);
}

function checkHost({ rawHeaders, headers }: IncomingMessage): HttpRejection | undefined {
  const count = countOf(rawHeaders, "host");
  if (count === 0) return badRequest("the request has no Host header; send the name it is meant for");
  if (count > 1) return badRequest(`the request has ${count} Host headers; send one`);
  const { host = "" } = headers;
  return isAuthority(host) ? undefined : badAuthority("the Host header", host);
}

function checkHttp2Authority(request: Http2Request): HttpRejection | undefined {
  const authority = request.headers[":authority"];
  const host = request.headers.host;
  const name = authority ?? host;
  if (name === undefined) {
    return badRequest("the request has neither :authority nor a Host header; send :authority");
  }
  if (!isAuthority(name)) {
    return badAuthority(authority === undefined ? "the Host header" : ":authority", name);
  }
  if (host !== undefined && host.toLowerCase() !== name.toLowerCase()) {
    return badRequest(`:authority is ${show(name)} but the Host header is ${show(host)}; send one of them`);
  }
  return undefined;
}

function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i];
    if (each?.length === name.length && each.toLowerCase() === name) count += 1;
  }
  return count;
}

function badAuthority(subject: string, value: string): HttpRejection {
  return badRequest(`${subject} must be a host name or address with an optional port; it is ${show(value)}`);
}

function badRequest(message: string): HttpRejection {
  return { status: 400, code: "invalid_argument", message };
}
