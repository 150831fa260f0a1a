import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Callbacks } from "./callbacks.ts";

/**
 * What Node may have read of a connection beyond the head of a request that it reports: a full buffer, and
 * one read more.
 */
export const READ_AHEAD = 2 * 64 * 1024;

/**
 * Counts the bytes that the heads of HTTP/1 requests take on their connections. Node's parser counts neither
 * spaces before values and within the request line nor empty lines before it. A count is at most `READ_AHEAD`
 * too high or too low, since a connection says how much was read of it, and not where a head ends.
 */
export class WireHeads {
  /** How many bytes of a connection come before its next head, or the request whose end is not known yet. */
  private readonly ends = new WeakMap<Socket, number | IncomingMessage>();

  /** Counts the head of a request, when Node reports the request. */
  count(request: IncomingMessage, callbacks: () => Callbacks): number {
    const { socket, headers } = request;
    const read = socket.bytesRead;
    const start = this.ends.get(socket) ?? 0;
    if (headers["transfer-encoding"] === undefined) {
      this.ends.set(socket, read + Number(headers["content-length"] ?? 0));
    } else {
      this.ends.set(socket, request);
      callbacks().once(request, "end", () => {
        // a later request may have come before
        if (this.ends.get(socket) === request) this.ends.set(socket, socket.bytesRead);
      });
    }
    return typeof start === "number" ? read - start : 0;
  }
}
