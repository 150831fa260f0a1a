import { constants } from "node:http2";
import type { ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import type { AccessRejection } from "connect-rest-authorization";
import { protocolOf } from "../call/protocol.ts";
import { cut, type HttpRequest, type HttpResponse, sendResponse } from "../listener/http.ts";
import { UNCACHED } from "../listener/rejection.ts";
import { errorResponse } from "../protocol/error-response.ts";

/** The HTTP/2 error code for a response that is cut because it held too much memory for too long. */
export const CALM = constants.NGHTTP2_ENHANCE_YOUR_CALM;

/** Sends an error as the response, or cuts a response that has already begun. */
export function rejectToSend(request: HttpRequest, response: HttpResponse, error: ConnectError): void {
  if (response.headersSent) {
    cut(response, CALM);
  } else {
    reject(request, response, error, codeToHttpStatus(error.code));
  }
}

/** Rejects a call with an error response. */
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
 * Rejects an unauthorized request with the HTTP status that every client understands (RFC 6750 section 3),
 * even if the protocol would put the error into a body. For gRPC, the error has the format that gRPC
 * requires.
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
