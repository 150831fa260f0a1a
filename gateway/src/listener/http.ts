import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { Readable, Writable } from "node:stream";
import type { Http2Request, Http2Response } from "./http2-message.ts";
import { nodeHttp } from "./node-http.ts";
import type { Origin } from "./origin.ts";

/** A request of either HTTP version. */
export type HttpRequest = IncomingMessage | Http2Request;

/** The response to a request of either HTTP version. */
export type HttpResponse = ServerResponse | Http2Response;

/** An HTTP/2 stream that has been detached from its request and response. */
export interface DetachedStream {
  readonly stream: ServerHttp2Stream;
  /** Must be called after each write, because the client then has bytes to read. */
  readonly wrote: (stream: ServerHttp2Stream) => void;
  /** Must be called once the client has read something, and when the stream closes. */
  readonly progressed: (stream: ServerHttp2Stream) => void;
}

/** Observes the end of a response. */
export interface ExchangeListener {
  /** Called when the whole response has been passed to the connection. */
  finished(): void;
  /** Called when the stream or connection has closed, whether or not the whole response was sent. */
  closed(): void;
}

/** The operations that the handler of a request may use. */
export interface Exchange {
  /** The origin of the request. */
  readonly origin: Origin;
  /** Sets the only listener. If the listener throws, the request ends. */
  listen(listener: ExchangeListener): void;
  /** Stops counting the request in `requestsInFlight`, because another limit counts it. */
  uncount(): void;
  /**
   * Detaches a long-lived, mostly idle stream: everything that belongs to its request and response is
   * released, which reduces its memory to a third. Returns undefined for HTTP/1.1. Afterwards only the stream
   * itself may be used; only the listeners that serve its connection remain on it.
   */
  detach(): DetachedStream | undefined;
}

/** Serves one request, after the listener has checked it. */
export type HttpHandler = (request: HttpRequest, response: HttpResponse, exchange: Exchange) => void;

/**
 * Returns whether a request came over HTTP/2. The check uses the class of the request, because the peer
 * controls the version in a request line.
 */
export function isHttp2(request: HttpRequest): request is Http2Request {
  return "stream" in request;
}

/** Adds `connection: close` to an HTTP/1.1 response whose headers are not sent yet. */
export function noKeepAlive(response: HttpResponse): void {
  if ("shouldKeepAlive" in response) response.shouldKeepAlive = false;
}

/** Returns the emitter of `data` and `end` for the body of a request. */
export function incoming(request: HttpRequest): Readable {
  return "stream" in request ? request.body : request;
}

/**
 * Returns the emitter of `finish`, when a response is written, and `close`, when its stream or connection
 * closes.
 */
export function outgoing(response: HttpResponse): Writable {
  return "stream" in response ? response.stream : response;
}

/** Returns whether the client has disconnected, after which nothing can be written to it. */
export function isGone(response: HttpResponse): boolean {
  return (
    response.destroyed || ("stream" in response && (response.stream.destroyed || response.stream.closed))
  );
}

/**
 * Returns whether a closed response was sent completely. If a client resets an HTTP/2 stream, Node ends the
 * stream, so Node also counts a reset stream as finished.
 */
export function isSent(response: HttpResponse): boolean {
  return outgoing(response).writableFinished && !("stream" in response && response.stream.aborted);
}

const { write, end } = nodeHttp.ServerResponse.prototype;

/**
 * Returns whether nothing will read the bytes of a response again. This is the case if the response was
 * written to its connection completely, without an error, and by Node's own functions. A middleware that
 * replaces these functions may still hold the bytes.
 */
export function isTaken(response: HttpResponse): boolean {
  if (!isSent(response) || isGone(response)) return false;
  if ("stream" in response) return true;
  return (
    response.write === write &&
    response.end === end &&
    response.errored === null &&
    !response.req.socket.destroyed
  );
}

/**
 * Cuts a response off. In HTTP/2, only the stream ends. In HTTP/1, the connection ends, since HTTP/1 has no
 * other signal.
 *
 * @param code the error code of the HTTP/2 reset
 */
export function cut(response: HttpResponse, code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
  if ("stream" in response) response.stream.close(code);
  response.destroy();
}

/**
 * Sends a whole response, unless the client has disconnected. Header names are in lower case. In HTTP/2, a
 * response without a body is a single HEADERS frame with END_STREAM.
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
