import http2 from "node:http2";
import type { Duplex } from "node:stream";
import type { Callbacks } from "./callbacks.ts";
import { cut, type HttpRequest, type HttpResponse, incoming, isHttp2, noKeepAlive } from "./http.ts";
import { countChunk } from "./read-turns.ts";
import type { Reject } from "./rejection.ts";

/**
 * The time that a client has after a response, or at the end of a connection, to send the rest of its request
 * or to close its side, in milliseconds.
 */
const LINGER_MS = 1000;

/**
 * Ends a request after an internal defect: responds with 500, or cuts a response that has begun. Cutting ends
 * the connection in HTTP/1, and only the stream in HTTP/2. Never throws, since no caller would catch the
 * error.
 */
export function failExchange(request: HttpRequest, response: HttpResponse, reject: Reject): void {
  try {
    if (!response.headersSent) {
      noKeepAlive(response);
      reject(request, response, { status: 500, code: "internal", message: "internal error" });
      return;
    }
  } catch {
    // ignored: the response is cut below
  }
  cut(response);
}

/**
 * Reads and discards the rest of a request whose response has been sent, so that the connection can serve the
 * next request. The time for this is limited.
 */
export function lingerForBody(request: HttpRequest, callbacks: Callbacks): void {
  if (request.complete) return;
  const timer = callbacks.after(LINGER_MS, () => {
    if (isHttp2(request)) {
      request.stream.close(http2.constants.NGHTTP2_NO_ERROR);
    } else {
      request.socket.destroy();
    }
  });
  const connection = isHttp2(request) ? request.stream : request.socket;
  const stop = () => {
    timer.stop();
    offClose();
  };
  const offClose = callbacks.once(connection, "close", stop);
  const body = incoming(request);
  callbacks.once(body, "end", stop);
  callbacks.on(body, "data", () => countChunk(request));
  // A reader that was stopped at a deadline still listens, and would block the rest of the body. If no such
  // reader exists, this function must not be called: it would stop Node from discarding the body.
  if (body.listenerCount("readable") > 0) body.removeAllListeners("readable");
  body.resume();
}

/**
 * Closes a connection whose end has been sent, if its peer does not close it, e.g. because the peer does not
 * read its response. Node's HTTP/2 sessions wait for their peers indefinitely, even after they are destroyed.
 */
export function lingerForClose(socket: Duplex, callbacks: Callbacks): void {
  callbacks.once(socket, "finish", () => {
    if (socket.destroyed) return;
    const timer = callbacks.after(LINGER_MS, () => socket.destroy());
    callbacks.once(socket, "close", () => timer.stop());
  });
}
