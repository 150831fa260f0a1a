import { Code, type ConnectError } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import type { GatewayReasonName } from "../call/error-reasons.ts";
import { gatewayError } from "../call/gateway-error.ts";
import { protocolOf } from "../call/protocol.ts";
import { type HttpRequest, type HttpResponse, sendResponse } from "../listener/http.ts";
import { type HttpRejection, rejectionHeaders, rejectionText, UNCACHED } from "../listener/rejection.ts";
import { errorResponse } from "./error-response.ts";

/** Statuses for requests that use no supported protocol, whatever their content type. */
const NO_PROTOCOL: ReadonlySet<number> = new Set([405, 415, 417, 505]);

/**
 * Statuses that HTTP requires even if the protocol has its own error: the request is for another server (RFC
 * 9110 section 15.5.20), or its body cannot be read (RFC 9112 section 6.1).
 */
const OF_HTTP: ReadonlySet<number> = new Set([421, 501]);

/** Content types of Connect requests. */
const CONNECT_TYPE = /^application\/(?:connect\+)?(?:json|proto)\s*(?:;|$)/i;

/** Connect GET requests (https://connectrpc.com/docs/protocol, Unary-Get-Request). */
const CONNECT_QUERY = /\?(?:[^#]*&)?connect=v1(?:&|#|$)/;

/**
 * Sends a rejection as the response to a request. If the head identifies a protocol, the response is an error
 * of this protocol (for gRPC with headers only, "Trailers-Only"), and otherwise a status and plain text.
 */
export function reject(request: HttpRequest, response: HttpResponse, rejection: HttpRejection): void {
  const contentType = request.headers["content-type"];
  const protocol = protocolOf(contentType);
  if (protocol === "connect" && (rejection.isBare === true || !isConnect(request, rejection))) {
    const headers = rejection.isBare === true ? { ...rejection.headers } : rejectionHeaders(rejection);
    sendResponse(
      response,
      rejection.status,
      headers,
      rejection.isBare === true ? "" : rejectionText(rejection),
    );
    return;
  }
  const error = rejectionError(rejection);
  const { status, headers, body } = errorResponse(protocol, contentType, error, rejection.status);
  const uncached = protocol === "connect" ? UNCACHED : {};
  const sent = OF_HTTP.has(rejection.status) ? rejection.status : status;
  sendResponse(response, sent, { ...headers, ...uncached, ...rejection.headers }, body);
}

function isConnect({ headers, method, url }: HttpRequest, { status }: HttpRejection): boolean {
  if (NO_PROTOCOL.has(status)) return false;
  if (OF_HTTP.has(status) && /^application\/connect\+/i.test(headers["content-type"] ?? "")) return false;
  const type = headers["content-type"];
  return type === undefined ? method === "GET" && CONNECT_QUERY.test(url ?? "") : CONNECT_TYPE.test(type);
}

function rejectionError(rejection: HttpRejection): ConnectError {
  return gatewayError(reasonOf(rejection), rejection.message, codeFromString(rejection.code) ?? Code.Unknown);
}

function reasonOf({ status, limit, reason }: HttpRejection): GatewayReasonName {
  if (reason !== undefined) return reason;
  if (status === 408) return "REQUEST_STALLED";
  if (NO_PROTOCOL.has(status)) return "PROTOCOL_UNSUPPORTED";
  if (status === 503) return "OVERLOADED";
  if (status >= 500) return "GATEWAY_FAILED";
  return limit === undefined ? "REQUEST_MALFORMED" : "REQUEST_TOO_LARGE";
}
