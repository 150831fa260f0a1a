/** The baseline that does nothing: a reverse proxy on undici, byte for byte. */
import http from "node:http";
import { type Dispatcher, Pool } from "undici";
import { listenLocally, serveParent, upstreamArgument } from "./child.ts";

const pool = new Pool(upstreamArgument(), { connections: 128 });

/** It hands compressed bytes on as they are. */
const HEADERS = ["accept-encoding", "gzip"];

/** Hands a response on as it comes. Pages are small: what a slow reader leaves is kept in memory. */
function handOn(response: http.ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, headers) => response.writeHead(status, headers),
    onResponseData: (_controller, chunk) => response.write(chunk),
    onResponseEnd: () => response.end(),
    onResponseError: () => response.destroy(),
  };
}

// connections wait while others are measured
const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
  pool.dispatch({ method: "GET", path: request.url ?? "/", headers: HEADERS }, handOn(response));
});

serveParent({ http1: await listenLocally(server) });
