import type { Duplex } from "node:stream";
import type { Callbacks } from "./callbacks.ts";
import type { HttpResponse } from "./http.ts";

/** How long a client that has sent its end waits for a response before it is asked whether it is there. */
const ASK_MS = 250;

/**
 * Serves a client of HTTP/1 that has sent its end, and may wait for its response all the same (RFC 9112
 * section 9.6), or be gone: TCP says the same of both. After a quarter and half of a second without a
 * response the client gets 100 (Continue), which is no final response (RFC 9110 section 15.2): of a client
 * that is gone, its system resets the connection. A client that ends its side while it reads a stream has
 * left.
 */
export function serveHalfClosed(
  socket: Duplex,
  owed: () => readonly HttpResponse[],
  callbacks: Callbacks,
): void {
  callbacks.once(socket, "end", () => {
    const [first] = owed();
    if (first !== undefined && isStreaming(first)) {
      socket.end();
      return;
    }
    // the first is what a system resets the connection for, the second what that is seen by
    const timers = [1, 2].map((time) => callbacks.after(time * ASK_MS, () => ask(owed()[0])));
    callbacks.once(socket, "close", () => {
      for (const timer of timers) timer.stop();
    });
  });
}

function isStreaming(response: HttpResponse): boolean {
  if ("stream" in response) return false;
  return response.headersSent && !response.writableEnded && !response.hasHeader("content-length");
}

function ask(response: HttpResponse | undefined): void {
  if (response === undefined || "stream" in response || response.headersSent) return;
  // HTTP/1.0 has no interim responses
  if (response.req.httpVersionMinor > 0) response.writeContinue();
}
