/**
 * The minimal baseline: a reverse proxy on undici that forwards bytes unchanged. Arguments: the upstream, and
 * "inflate" for a proxy that inflates compressed responses first.
 */
import http, { type IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
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

/** Collects a compressed response, and sends it inflated. */
function inflate(response: http.ServerResponse): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let head: IncomingHttpHeaders = {};
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, { "content-encoding": _, ...headers }) => {
      response.statusCode = status;
      head = headers;
    },
    onResponseData: (_controller, chunk) => chunks.push(chunk),
    onResponseEnd: () => {
      const body = gunzipSync(Buffer.concat(chunks), { chunkSize: 32 * 1024 });
      response.writeHead(response.statusCode, { ...head, "content-length": body.length }).end(body);
    },
    onResponseError: () => response.destroy(),
  };
}

const handle = process.argv[3] === "inflate" ? inflate : handOn;

// Connections stay idle while other servers are measured.
const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
  pool.dispatch({ method: "GET", path: request.url ?? "/", headers: HEADERS }, handle(response));
});

serveParent({ http1: await listenLocally(server) });
