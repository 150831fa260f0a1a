import { constants } from "node:http2";
import type { ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import type { AccessRejection } from "connect-rest-authorization";
import { protocolOf } from "../call/protocol.ts";
import { cut, type HttpRequest, type HttpResponse, sendResponse } from "../listener/http.ts";
import { UNCACHED } from "../listener/rejection.ts";
import { errorResponse } from "../protocol/error-response.ts";

/** The code of HTTP/2 with which a response is cut that takes too much memory for too long. */
export const CALM = constants.NGHTTP2_ENHANCE_YOUR_CALM;

/** Sends an error in place of a response; cuts one that has begun. */
export function rejectToSend(request: HttpRequest, response: HttpResponse, error: ConnectError): void {
  if (response.headersSent) {
    cut(response, CALM);
  } else {
    reject(request, response, error, codeToHttpStatus(error.code));
  }
}

/** Sends an error in place of a call. */
export function reject(
  request: HttpRequest,
  response: HttpResponse,
  error: ConnectError,
  httpStatus: number,
): void {
  const contentType = request.headers["content-type"];
  const { status, headers, body } = errorResponse(protocolOf(contentType), contentType, error, httpStatus);
  sendResponse(response, status, headers, body);
}

/**
 * Rejects a request that is not authorized, with the HTTP status that every client understands (RFC 6750
 * section 3), also where the protocol would say it in a body; only gRPC has no other way than its own.
 */
export function deny(
  request: HttpRequest,
  response: HttpResponse,
  { error, status, headers: challenge }: AccessRejection,
): void {
  const contentType = request.headers["content-type"];
  const protocol = protocolOf(contentType);
  const type = protocol === "connect" ? undefined : contentType;
  const { status: own, headers, body } = errorResponse(protocol, type, error, status);
  sendResponse(response, own, { ...headers, ...UNCACHED, ...challenge }, body);
}
