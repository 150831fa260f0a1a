/** The minimal baseline: a reverse proxy on undici that forwards bytes unchanged. */
import http from "node:http";
import { type Dispatcher, Pool } from "undici";
import { listenLocally, serveParent, upstreamArgument } from "./child.ts";

const pool = new Pool(upstreamArgument(), { connections: 128 });

/** Clients accept gzip, since the proxy forwards compressed bytes unchanged. */
const HEADERS = ["accept-encoding", "gzip"];

/** Forwards a response as it arrives. Pages are small, so data for slow readers is buffered in memory. */
function handOn(response: http.ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, headers) => response.writeHead(status, headers),
    onResponseData: (_controller, chunk) => response.write(chunk),
    onResponseEnd: () => response.end(),
    onResponseError: () => response.destroy(),
  };
}

// Connections stay idle while other servers are measured.
const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
  pool.dispatch({ method: "GET", path: request.url ?? "/", headers: HEADERS }, handOn(response));
});

serveParent({ http1: await listenLocally(server) });
