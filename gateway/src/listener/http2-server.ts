import http2 from "node:http2";
import type { Limits, OnLimit } from "../limits.ts";
import { watchSession } from "./http2-session.ts";

/** Serves one HTTP/2 request. */
export type Http2Listener = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;

/** The HTTP/2 half of the port, and its open sessions. */
export interface Http2Server {
  readonly server: http2.Http2Server;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
}

/** Creates the HTTP/2 half of the port: it listens nowhere and is handed connections. */
export function createHttp2Server(limits: Limits, onRequest: Http2Listener, onLimit: OnLimit): Http2Server {
  const options: http2.ServerOptions = {
    settings: {
      maxConcurrentStreams: limits.streamsPerConnection,
      maxHeaderListSize: limits.headerBytes,
      enablePush: false,
    },
    // Beyond this Node resets the stream; up to it the listener responds with 431 and a text.
    maxHeaderListPairs: limits.headerCount * 2,
    streamResetBurst: limits.resetsPerSecond,
    streamResetRate: limits.resetsPerSecond,
  };
  const server = http2.createServer(options, onRequest);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    watchSession(session, limits, onLimit);
  });
  return { server, sessions };
}
