import type http from "node:http";
import http2 from "node:http2";
import type net from "node:net";
import type { Limits } from "../limits.ts";
import type { Callbacks } from "./callbacks.ts";
import { type HttpResponse, noKeepAlive } from "./http.ts";

/** The parts of a listener that have to be closed. */
export interface ListenerParts {
  readonly server: net.Server;
  readonly h1: http.Server;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
  /** Connections whose protocol is not known yet. */
  readonly pending: ReadonlySet<net.Socket>;
  /** Every open connection, below TLS. */
  readonly sockets: ReadonlySet<net.Socket>;
  /** The requests in flight. */
  readonly taken: Iterable<{ readonly response: HttpResponse }>;
}

/**
 * A GOAWAY frame with this ID asks the peer to open no more streams, without rejecting streams in transit.
 */
const EVERY_STREAM = 2 ** 31 - 1;

/**
 * Shuts down a listener in two steps, without losing a request. First it asks every client to disconnect
 * (`connection: close`, GOAWAY) and still serves all requests, even on new connections, because a load
 * balancer takes time to notice. After `drainNoticeMs` it stops listening and closes idle connections.
 * Resolves when the last connection has closed, or after `drainGraceMs`, when the remaining connections are
 * cut.
 *
 * @param isReplaced whether other workers listen on the same port. If so, the listener stops listening
 *   immediately, and connections have `drainNoticeMs` for a last request, because closing idle connections
 *   immediately would lose requests in transit. The drain always takes all of that time. Connections that the
 *   primary process hands over in the meantime are rejected here and served by another worker. If the process
 *   ended earlier, clients of these connections would wait forever.
 */
export async function startDrain(
  parts: ListenerParts,
  limits: Limits,
  callbacks: Callbacks,
  isReplaced: boolean,
): Promise<void> {
  announce(parts);
  const grace = callbacks.after(limits.drainGraceMs, () => closeAll(parts));
  const closed = Promise.withResolvers<void>();
  const noticed = Promise.withResolvers<void>();
  const stopListening = () => void parts.server.close(() => closed.resolve());
  if (isReplaced) afterWaiting(stopListening, callbacks);
  const noticeIsOver = () => {
    if (!isReplaced) stopListening();
    closeIdle(parts);
    noticed.resolve();
  };
  const noticeMs = Math.min(limits.drainNoticeMs, limits.drainGraceMs);
  callbacks.after(noticeMs, () => afterWaiting(noticeIsOver, callbacks));
  await Promise.all([closed.promise, noticed.promise]);
  grace.stop();
}

/**
 * Runs a function once pending connections have been accepted and their first bytes read. In a busy process,
 * timers would run before that.
 */
function afterWaiting(run: () => void, callbacks: Callbacks): void {
  callbacks.soon(() => callbacks.soon(() => callbacks.soon(run)));
}

function announce(parts: ListenerParts): void {
  for (const { response } of parts.taken) noKeepAlive(response);
  for (const session of parts.sessions) {
    if (!session.closed && !session.destroyed) session.goaway(http2.constants.NGHTTP2_NO_ERROR, EVERY_STREAM);
  }
}

function closeIdle(parts: ListenerParts): void {
  for (const socket of parts.pending) socket.destroy();
  for (const session of parts.sessions) if (!session.closed) session.close();
  parts.h1.closeIdleConnections();
}

/** Closes every connection. */
export function closeAll(parts: ListenerParts): void {
  for (const socket of parts.pending) socket.destroy();
  for (const session of parts.sessions) session.destroy();
  parts.h1.closeAllConnections();
  // A destroyed session still writes its remaining output. A peer that does not read can block that output.
  for (const socket of parts.sockets) socket.destroy();
  // This server never listened, but it owns the timer that checks its connections.
  parts.h1.close();
}
