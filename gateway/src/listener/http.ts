import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";

/** A request as Node gives it, of either HTTP version. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** The response to it. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/**
 * Serves one request, after the listener has checked it.
 *
 * @param uncount takes the request out of `requestsInFlight`, as one that another limit counts
 */
export type HttpHandler = (request: HttpRequest, response: HttpResponse, uncount: () => void) => void;

/** Whether a request came over HTTP/2: by what it is, since the version in its first line is the peer's to choose. */
export function isHttp2(request: HttpRequest): request is Http2ServerRequest {
  return "stream" in request;
}

/** Makes an HTTP/1.1 response say `connection: close`, as far as its headers are not out yet. */
export function noKeepAlive(response: HttpResponse): void {
  if ("shouldKeepAlive" in response) response.shouldKeepAlive = false;
}

/**
 * What emits `finish` when a response is written and `close` when its stream or connection is gone. With HTTP/2 the
 * response does both only when the request is in as well, which may be never.
 */
export function outgoing(response: HttpResponse): Writable {
  return "stream" in response ? response.stream : response;
}

/** Whether the client is gone, so that nothing can be written to it. */
export function isGone(response: HttpResponse): boolean {
  return (
    response.destroyed || ("stream" in response && (response.stream.destroyed || response.stream.closed))
  );
}

/**
 * Whether all of a response was sent, once it is closed. Node ends the stream of HTTP/2 that a client resets, so
 * that it has finished as well.
 */
export function isSent(response: HttpResponse): boolean {
  return outgoing(response).writableFinished && !("stream" in response && response.stream.aborted);
}

/**
 * Cuts a response off: HTTP/2 loses the stream alone, HTTP/1 the connection, which has no other way to say so.
 *
 * @param code of HTTP/2's reset
 */
export function cut(response: HttpResponse, code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
  if ("stream" in response) response.stream.close(code);
  response.destroy();
}

/**
 * Sends a whole response, unless the client is gone. Header names in lower case. Without a body it is one HEADERS frame with
 * END_STREAM over HTTP/2.
 */
export function sendResponse(
  response: HttpResponse,
  status: number,
  headers: Readonly<Record<string, string | string[]>>,
  body: string | Uint8Array = "",
): void {
  if (isGone(response)) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body.length === 0) {
    response.end();
  } else {
    response.end(body);
  }
}
