import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Callbacks } from "./callbacks.ts";

/** What an HTTP/2 client with prior knowledge sends first (RFC 9113 section 3.4). */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** What the first bytes of a connection say: its protocol, or that more bytes are needed to tell. */
export function classify(bytes: Uint8Array): "http1" | "http2" | "more" {
  const length = Math.min(bytes.length, PREFACE.length);
  if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) return "http1";
  return length === PREFACE.length ? "http2" : "more";
}

/** Gets the protocol of a connection, and the socket to speak it on. */
export type Identified = (protocol: "http1" | "http2", socket: Socket) => void;

/**
 * Finds out which protocol a new connection speaks. One that does not say in
 * time is destroyed without a report.
 */
export type Identify = (socket: Socket, report: Identified) => void;

/**
 * Waits for the first bytes of a connection and reports its protocol, the bytes put back. A connection that
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

/** Callbacks of a connection, which ends when one of them throws. */
export function ofSocket(socket: Duplex, onError: (error: unknown) => void): Callbacks {
  return new Callbacks((error) => {
    onError(error);
    socket.destroy();
  });
}
