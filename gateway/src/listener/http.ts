import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";

/** A request as Node gives it, of either HTTP version. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** An answer to it. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/** Serves one request, after the listener has checked it. */
export type HttpHandler = (request: HttpRequest, response: HttpResponse) => void;

/** Tells HTTP/2 from HTTP/1. */
export function isHttp2(request: HttpRequest): request is Http2ServerRequest {
  return request.httpVersionMajor === 2;
}

/** Makes an HTTP/1.1 answer say `connection: close`, as far as its headers are not out yet. */
export function noKeepAlive(response: HttpResponse): void {
  if ("shouldKeepAlive" in response) response.shouldKeepAlive = false;
}

/**
 * What emits `finish` when an answer is written and `close` when its stream or connection is gone. With HTTP/2 the
 * response does both only when the request is in as well, which may be never.
 */
export function outgoing(response: HttpResponse): Writable {
  return "stream" in response ? response.stream : response;
}

/** Tells whether the client is gone, so that nothing can be written to it. */
export function isGone(response: HttpResponse): boolean {
  return (
    response.destroyed || ("stream" in response && (response.stream.destroyed || response.stream.closed))
  );
}

/**
 * Tells, when a response is closed, whether all of it was sent. Node ends the stream of HTTP/2 that a client resets, so
 * that it has finished as well.
 */
export function isSent(response: HttpResponse): boolean {
  return outgoing(response).writableFinished && !("stream" in response && response.stream.aborted);
}

/** Sends a whole response, unless the client is gone. Header names in lower case. */
export function sendResponse(
  response: HttpResponse,
  status: number,
  headers: Readonly<Record<string, string | string[]>>,
  body: string | Uint8Array = "",
): void {
  if (isGone(response)) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}
