import http2 from "node:http2";
import type { Duplex } from "node:stream";
import type { Callbacks } from "./callbacks.ts";
import { cut, type HttpRequest, type HttpResponse, incoming, isHttp2, noKeepAlive } from "./http.ts";
import type { Reject } from "./rejection.ts";

/**
 * How long a client may go on with what is over: send a request that has its response,
 * keep a connection that has ended.
 */
const LINGER_MS = 1000;

/**
 * Ends a request that a defect of ours has hit: with 500, or by cutting the response that has begun. HTTP/1
 * loses its connection, HTTP/2 the stream alone. Never throws: nobody would catch it.
 */
export function failExchange(request: HttpRequest, response: HttpResponse, reject: Reject): void {
  try {
    if (!response.headersSent) {
      noKeepAlive(response);
      reject(request, response, { status: 500, code: "internal", message: "internal error" });
      return;
    }
  } catch {
    // What is left to do is the same.
  }
  cut(response);
}

/**
 * A response is out before its request is in: the rest is read and dropped, so that the connection stays good
 * for the next request, but not for long.
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
  // A reader that was cut off at a deadline still listens, and would hold the rest back. Without one this
  // must not be called: it would stop a request that Node has begun to drop.
  if (body.listenerCount("readable") > 0) body.removeAllListeners("readable");
  body.resume();
}

/**
 * Closes a connection whose end has been sent, where its peer does not: e.g. one that leaves a response
 * unread, and waits for that. Node's sessions of HTTP/2 wait for their peers without end,
 * also once they are destroyed.
 */
export function lingerForClose(socket: Duplex, callbacks: Callbacks): void {
  callbacks.once(socket, "finish", () => {
    if (socket.destroyed) return;
    const timer = callbacks.after(LINGER_MS, () => socket.destroy());
    callbacks.once(socket, "close", () => timer.stop());
  });
}
