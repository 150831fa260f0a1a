import { Code } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { fullName } from "connect-rest-runtime/internal";
import type { Call } from "../call/call.ts";
import { gatewayError } from "../call/gateway-error.ts";
import { protocolOf } from "../call/protocol.ts";
import type { UnsupportedStatus } from "../fast-path/head.ts";
import type { HttpRequest } from "../listener/http.ts";
import { rejectionHeaders, rejectionText } from "../listener/rejection.ts";
import { errorResponse } from "../protocol/error-response.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { show } from "../text/show.ts";

/**
 * Returns the response to a request that is not a valid call of its method. For gRPC, it has gRPC's format.
 * In all other cases it is plain text, because the protocol is unknown.
 */
export function unsupportedResponse(
  status: UnsupportedStatus,
  handler: UniversalHandler,
  call: Call,
  request: HttpRequest,
): WholeResponse {
  const message = reasonText(status, fullName(call.method), handler, request);
  const headers = negotiationHeaders(status, handler);
  const protocol = protocolOf(request.headers["content-type"]);
  if (protocol === "connect" && status !== 505) {
    const rejection = { status, code: "unimplemented", message, headers };
    return { status, headers: rejectionHeaders(rejection), body: Buffer.from(rejectionText(rejection)) };
  }
  const error = gatewayError("PROTOCOL_UNSUPPORTED", message, Code.Unimplemented);
  const rejection = errorResponse(protocol, request.headers["content-type"], error, status);
  return { ...rejection, headers: { ...rejection.headers, ...headers } };
}

/**
 * Returns the headers that RFC 9110 sections 15.5.6 and 15.5.16 require. Accept-Post is defined in W3C's
 * Linked Data Platform, section 7.1.
 */
function negotiationHeaders(status: UnsupportedStatus, handler: UniversalHandler): Record<string, string> {
  switch (status) {
    case 405:
      return { allow: handler.allowedMethods.join(", ") };
    case 415:
      return { "accept-post": contentTypesOf(handler) };
    case 505:
      return { connection: "close" };
  }
}

function reasonText(
  status: UnsupportedStatus,
  name: string,
  handler: UniversalHandler,
  request: HttpRequest,
): string {
  const contentType = request.headers["content-type"];
  switch (status) {
    case 405:
      return `${name} takes ${handler.allowedMethods.join(" or ")}; the request is a ${show(request.method ?? "")}`;
    case 415:
      return `${name} takes ${contentTypesOf(handler)}; ${contentType === undefined ? "the request has no content-type" : `the content-type is ${show(contentType)}`}`;
    case 505:
      return `${name} streams in both directions, which needs HTTP/2; the request came over HTTP/${request.httpVersion}`;
  }
}

function contentTypesOf(handler: UniversalHandler): string {
  const unary = ["application/json", "application/proto"];
  const stream = ["application/connect+json", "application/connect+proto"];
  const connect = handler.method.methodKind === "unary" ? unary : stream;
  return [...connect, "application/grpc", "application/grpc-web"].join(", ");
}
