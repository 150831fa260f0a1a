/** The hand-written baseline: a connect-node server over HTTP/1.1 and HTTP/2. */
import http from "node:http";
import http2 from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { handWrittenRoutes } from "../hand-written.ts";
import { listenLocally, serveParent, upstreamArgument } from "./child.ts";

const handler = connectNodeAdapter({ routes: handWrittenRoutes(upstreamArgument()) });

serveParent({
  // Connections stay idle while other servers are measured.
  http1: await listenLocally(http.createServer({ keepAliveTimeout: 0 }, handler)),
  http2: await listenLocally(http2.createServer(handler)),
});
