import http2 from "node:http2";
import type { Duplex } from "node:stream";
import type { Limits, OnLimit } from "../limits.ts";
import type { Attackers } from "./attackers.ts";
import type { Callbacks } from "./callbacks.ts";
import { Http2Request, Http2Response } from "./http2-message.ts";
import { type OnStream, serveSession } from "./http2-session.ts";
import { ReadTurns } from "./read-turns.ts";

/** Serves one HTTP/2 request. */
export type Http2Listener = (request: Http2Request, response: Http2Response) => void;

/** The HTTP/2 half of the port, and its open sessions. */
export interface Http2Server {
  /** Takes a connection. */
  readonly take: (socket: Duplex) => void;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
}

/** The largest header list that nghttp2 takes; the listener rejects up to it with a text. */
const LARGEST_HEADERS = 64 * 1024;

/** Node's own limit of resets counts all of them; below it, ours can say what it was about. */
const NODE_RESETS_PER_SECOND = 10_000;

/**
 * Creates the HTTP/2 half of the port: it listens nowhere and is handed connections. Streams are taken as
 * they come: Node's own requests would be made, and `Expect` be answered, where nothing catches what that
 * throws for a stream that its peer has reset already.
 *
 * @param attackers counts the resets of clients, and those whose sessions end for an attack
 */
export function createHttp2Server(
  limits: Limits,
  onRequest: Http2Listener,
  onLimit: OnLimit,
  callbacks: Callbacks,
  onError: (error: unknown) => void,
  onViolation: () => void,
  attackers: Attackers,
): Http2Server {
  const resets = Math.max(NODE_RESETS_PER_SECOND, 10 * limits.resetsPerSecond);
  const server = http2.createServer({
    settings: {
      maxConcurrentStreams: limits.streamsPerConnection,
      // More than is allowed, or clients would give up by themselves, without a text.
      maxHeaderListSize: Math.max(LARGEST_HEADERS, limits.headerBytes),
      enablePush: false,
    },
    maxHeaderListPairs: Math.max(LARGEST_HEADERS / 32, 2 * limits.headerCount),
    streamResetBurst: resets,
    streamResetRate: resets,
  });
  const onStream: OnStream = (stream, headers, _flags, rawHeaders) => {
    // Reset in the packet that opened it: there is nobody to serve.
    if (stream.destroyed || stream.closed) return;
    const request = new Http2Request(stream, headers, rawHeaders);
    const response = new Http2Response(stream);
    if (headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
    onRequest(request, response);
  };
  const sessions = new Set<http2.ServerHttp2Session>();
  const readTurns = new ReadTurns(sessions, callbacks);
  callbacks.on(server, "session", (session: http2.ServerHttp2Session) => {
    sessions.add(session);
    callbacks.once(session, "close", () => sessions.delete(session));
    serveSession(session, onStream, limits, { onLimit, onError, onViolation, attackers, readTurns });
  });
  const take = (socket: Duplex) => readTurns.begin(() => void server.emit("connection", socket));
  return { take, sessions };
}
