import http2 from "node:http2";
import type { Duplex } from "node:stream";
import type { Limits, OnLimit } from "../limits.ts";
import type { Attackers } from "./attackers.ts";
import type { Callbacks } from "./callbacks.ts";
import { Http2Request, Http2Response } from "./http2-message.ts";
import { type OnStream, serveSession } from "./http2-session.ts";
import type { ReadTurns } from "./read-turns.ts";

/** Serves one HTTP/2 request. */
export type Http2Listener = (request: Http2Request, response: Http2Response) => void;

/** The HTTP/2 server of the port, with its open sessions. */
export interface Http2Server {
  /** Accepts a connection. */
  readonly take: (socket: Duplex) => void;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
}

/**
 * The maximum size of a header list that nghttp2 accepts, in bytes; up to this size, the listener rejects a
 * list with an explanation.
 */
const LARGEST_HEADERS = 64 * 1024;

/** Node's own limit, which counts every reset; the gateway's limits are below it and report the cause. */
const NODE_RESETS_PER_SECOND = 10_000;

/**
 * Creates the HTTP/2 server of the port. The server does not listen itself, but receives connections. It
 * handles raw streams: if a peer has already reset a stream, Node would still create a request for it and
 * respond to `Expect`, and nothing would catch an exception.
 *
 * @param attackers counts the resets of clients, and the clients whose sessions end because of an attack
 */
export function createHttp2Server(
  limits: Limits,
  onRequest: Http2Listener,
  onLimit: OnLimit,
  callbacks: Callbacks,
  onError: (error: unknown) => void,
  onViolation: () => void,
  attackers: Attackers,
  readTurns: ReadTurns,
): Http2Server {
  const resets = Math.max(NODE_RESETS_PER_SECOND, 10 * limits.resetsPerSecond);
  const server = http2.createServer({
    settings: {
      maxConcurrentStreams: limits.streamsPerConnection,
      // Higher than the gateway's limit, because otherwise clients would reject their own request, without an
      // explanation.
      maxHeaderListSize: Math.max(LARGEST_HEADERS, limits.headerBytes),
      enablePush: false,
    },
    maxHeaderListPairs: Math.max(LARGEST_HEADERS / 32, 2 * limits.headerCount),
    streamResetBurst: resets,
    streamResetRate: resets,
  });
  const onStream: OnStream = (stream, headers, _flags, rawHeaders) => {
    // The packet that opened the stream also reset it, so the client expects no response.
    if (stream.destroyed || stream.closed) return;
    const request = new Http2Request(stream, headers, rawHeaders);
    const response = new Http2Response(stream);
    if (headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
    onRequest(request, response);
  };
  callbacks.on(server, "session", (session: http2.ServerHttp2Session) => {
    readTurns.addSession(session, callbacks);
    serveSession(session, onStream, limits, { onLimit, onError, onViolation, attackers, readTurns });
  });
  const take = (socket: Duplex) => readTurns.begin(socket, () => void server.emit("connection", socket));
  return { take, sessions: readTurns.sessions };
}
