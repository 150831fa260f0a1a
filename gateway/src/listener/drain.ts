import type http from "node:http";
import http2 from "node:http2";
import type net from "node:net";
import type { Limits } from "../limits.ts";
import type { Callbacks } from "./callbacks.ts";
import { type HttpResponse, noKeepAlive } from "./http.ts";

/** What a listener is made of, as far as it must be closed. */
export interface ListenerParts {
  readonly server: net.Server;
  readonly h1: http.Server;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
  /** Connections that have not said which protocol they speak. */
  readonly pending: ReadonlySet<net.Socket>;
  /** Every open connection, below TLS. */
  readonly sockets: ReadonlySet<net.Socket>;
  /** The requests in flight. */
  readonly taken: Iterable<{ readonly response: HttpResponse }>;
}

/** A GOAWAY with this id tells the peer to open no more streams, and loses none that are on their way. */
const EVERY_STREAM = 2 ** 31 - 1;

/**
 * Ends a listener without losing a request, in two steps. First it tells every client to go elsewhere
 * (`connection: close`, GOAWAY) and still serves what comes, new connections included: a load balancer needs
 * a moment to notice. After `drainNoticeMs` it stops listening and closes what is idle. Resolves when the
 * last connection is gone, or after `drainGraceMs`, when the rest is cut.
 *
 * @param isReplaced whether others listen in its place: then it stops listening at once, and connections have
 *   `drainNoticeMs` for a last request. Closed at once, those that are idle just now would lose what their
 *   clients are about to send. It takes all of that time: what a primary process is handing over meanwhile is
 *   rejected here, and served by another worker; lost with the process, its client would wait for ever.
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
 * Runs a function once the connections have been accepted that wait for it, and their first bytes read: in a
 * busy process timers come before them.
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

/** Cuts every connection. */
export function closeAll(parts: ListenerParts): void {
  for (const socket of parts.pending) socket.destroy();
  for (const session of parts.sessions) session.destroy();
  parts.h1.closeAllConnections();
  // A session that is destroyed still writes what it has left, which a peer that reads nothing can hold up.
  for (const socket of parts.sockets) socket.destroy();
  // The server never listened, and still owns the timer that checks its connections.
  parts.h1.close();
}
