import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Callbacks } from "./callbacks.ts";

/**
 * The maximum number of bytes that Node has read beyond the head of a reported request: a full buffer, plus
 * one more read.
 */
export const READ_AHEAD = 2 * 64 * 1024;

/**
 * Counts the bytes that HTTP/1 request heads take on their connections. Node's parser does not count spaces
 * before values and within the request line, or empty lines before it. A count may be off by `READ_AHEAD` in
 * both directions, since a connection reports how many bytes were read, but not where a head ends.
 */
export class WireHeads {
  /**
   * For each connection, the number of bytes read before its next head, or the request whose end is not known
   * yet.
   */
  private readonly ends = new WeakMap<Socket, number | IncomingMessage>();

  /** Returns the size of a request's head; must be called when Node reports the request. */
  count(request: IncomingMessage, callbacks: () => Callbacks): number {
    const { socket, headers } = request;
    const read = socket.bytesRead;
    const start = this.ends.get(socket) ?? 0;
    if (headers["transfer-encoding"] === undefined) {
      this.ends.set(socket, read + Number(headers["content-length"] ?? 0));
    } else {
      this.ends.set(socket, request);
      callbacks().once(request, "end", () => {
        // a later request may have arrived before this request ended
        if (this.ends.get(socket) === request) this.ends.set(socket, socket.bytesRead);
      });
    }
    return typeof start === "number" ? read - start : 0;
  }
}
