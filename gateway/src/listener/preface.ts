import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Callbacks } from "./callbacks.ts";

/** The first bytes of an HTTP/2 client with prior knowledge (RFC 9113 section 3.4). */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Detects the protocol from the first bytes of a connection; returns `more` if it needs more bytes. */
export function classify(bytes: Uint8Array): "http1" | "http2" | "more" {
  const length = Math.min(bytes.length, PREFACE.length);
  if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) return "http1";
  return length === PREFACE.length ? "http2" : "more";
}

/** Receives the protocol of a connection, and the socket to use from then on. */
export type Identified = (protocol: "http1" | "http2", socket: Socket) => void;

/**
 * Detects the protocol of a new connection. If the protocol remains unknown for too long, the connection is
 * destroyed without a report.
 */
export type Identify = (socket: Socket, report: Identified) => void;

/**
 * Waits for the first bytes of a connection, pushes them back, and reports the protocol. A connection that
 * ends, fails, or stays silent for `timeoutMs` is destroyed without a report.
 */
export function sniff(
  socket: Socket,
  timeoutMs: number,
  report: Identified,
  onError: (error: unknown) => void,
): void {
  const callbacks = ofSocket(socket, onError);
  let seen: Buffer = Buffer.alloc(0);
  const destroy = () => socket.destroy();
  const stop = () => {
    timer.stop();
    for (const off of offs) off();
  };
  const read = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const protocol = classify(seen);
    if (protocol === "more") return;
    stop();
    socket.unshift(seen);
    report(protocol, socket);
  };
  const timer = callbacks.after(timeoutMs, destroy);
  const offs = [
    callbacks.on(socket, "readable", read),
    callbacks.on(socket, "end", destroy),
    callbacks.on(socket, "error", destroy),
    callbacks.on(socket, "close", stop),
  ];
}

/** Creates the callbacks of a connection, which is closed if one of them throws. */
export function ofSocket(socket: Duplex, onError: (error: unknown) => void): Callbacks {
  return new Callbacks((error) => {
    onError(error);
    socket.destroy();
  });
}
