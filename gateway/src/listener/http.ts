import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { Readable, Writable } from "node:stream";
import type { Http2Request, Http2Response } from "./http2-message.ts";
import { nodeHttp } from "./node-http.ts";
import type { Origin } from "./origin.ts";

/** A request of either HTTP version. */
export type HttpRequest = IncomingMessage | Http2Request;

/** The response to it. */
export type HttpResponse = ServerResponse | Http2Response;

/** A stream of HTTP/2 that has nothing of its request and response any more. */
export interface DetachedStream {
  readonly stream: ServerHttp2Stream;
  /** To be told after each write: the client has to read it. */
  readonly wrote: (stream: ServerHttp2Stream) => void;
  /** The same when something was read, and when the stream is closed. */
  readonly progressed: (stream: ServerHttp2Stream) => void;
}

/** Hears what becomes of a response. */
export interface ExchangeListener {
  /** All of it is handed to the connection. */
  finished(): void;
  /** Its stream or connection is gone, be all of it sent or not. */
  closed(): void;
}

/** What whoever serves a request may do with it. */
export interface Exchange {
  /** Where the request comes from. */
  readonly origin: Origin;
  /** Takes the one listener. What it throws ends the request. */
  listen(listener: ExchangeListener): void;
  /** Takes the request out of `requestsInFlight`, as one that another limit counts. */
  uncount(): void;
  /**
   * Detaches a stream that will be open for long and do little: all that belongs to its request and response is
   * let go, so that it takes a third of the memory. Undefined for HTTP/1.1. From then on only the stream
   * itself may be used; its listeners are gone but for those of its connection.
   */
  detach(): DetachedStream | undefined;
}

/** Serves one request, after the listener has checked it. */
export type HttpHandler = (request: HttpRequest, response: HttpResponse, exchange: Exchange) => void;

/**
 * Whether a request came over HTTP/2: by what it is, since the version in its
 * first line is the peer's to choose.
 */
export function isHttp2(request: HttpRequest): request is Http2Request {
  return "stream" in request;
}

/** Makes an HTTP/1.1 response say `connection: close`, as far as its headers are not out yet. */
export function noKeepAlive(response: HttpResponse): void {
  if ("shouldKeepAlive" in response) response.shouldKeepAlive = false;
}

/** What emits `data` and `end`, as the body of a request arrives. */
export function incoming(request: HttpRequest): Readable {
  return "stream" in request ? request.body : request;
}

/** What emits `finish` when a response is written, and `close` when its stream or connection is gone. */
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
 * Whether all of a response was sent, once it is closed. Node ends the stream of HTTP/2 that a client resets,
 * so that it has finished as well.
 */
export function isSent(response: HttpResponse): boolean {
  return outgoing(response).writableFinished && !("stream" in response && response.stream.aborted);
}

const { write, end } = nodeHttp.ServerResponse.prototype;

/**
 * Whether nobody will read the bytes of a response any more: it was written to its connection as a whole,
 * without an error, and by nobody who may have kept a part, as a middleware can that has put itself in place
 * of Node's own functions.
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
 * Cuts a response off: HTTP/2 loses the stream alone, HTTP/1 the connection,
 * which has no other way to say so.
 *
 * @param code of HTTP/2's reset
 */
export function cut(response: HttpResponse, code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
  if ("stream" in response) response.stream.close(code);
  response.destroy();
}

/**
 * Sends a whole response, unless the client is gone. Header names in lower case. Without a body it is one
 * HEADERS frame with END_STREAM over HTTP/2.
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
