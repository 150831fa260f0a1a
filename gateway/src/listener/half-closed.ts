import type { Duplex } from "node:stream";
import type { Callbacks } from "./callbacks.ts";
import type { HttpResponse } from "./http.ts";

/**
 * The time after which the server probes whether a half-closed client is still connected, in milliseconds.
 */
const ASK_MS = 250;

/**
 * Serves an HTTP/1 client that has half-closed its connection. The client may still wait for its response
 * (RFC 9112 section 9.6), or may have disconnected: TCP signals both in the same way. After 250 ms and 500 ms
 * without a response, the client gets an interim 100 (Continue) (RFC 9110 section 15.2). If the client has
 * disconnected, its operating system responds with a reset. A client that half-closes while it reads a stream
 * counts as disconnected.
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
    // the first write makes the client's system reset the connection; the second write detects the reset
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
