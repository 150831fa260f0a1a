import http from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ANY_HOST, createHostCheck, hostsOf, isLoopback } from "../listener/hosts.ts";
import { UNCACHED } from "../listener/refusal.ts";
import type { Metrics } from "./metrics.ts";

/** Where metrics are served. */
export interface MetricsPlace {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 picks a free one. */
  readonly port: number;
}

/** A server of metrics that listens. */
export interface MetricsServer {
  /** The address of the metrics. */
  readonly url: string;
  close(): Promise<void>;
}

const compressed = promisify(gzip);

const REQUEST_TIMEOUT_MS = 5000;
const MAX_CONNECTIONS = 64;

/**
 * Serves metrics at `/metrics` on a port of their own, so that the port for callers never shows them, and they can
 * be had when that one is crowded. Rejects when the port cannot be had.
 */
export function startMetricsServer(
  metrics: Metrics,
  { host = "127.0.0.1", port }: MetricsPlace,
): Promise<MetricsServer> {
  const options = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requireHostHeader: false,
  };
  // Scrapers send addresses: beyond loopback every host is served.
  const isServed = createHostCheck(hostsOf(host, isLoopback(host) ? undefined : [ANY_HOST]));
  const server = http.createServer(options, (request, response) => {
    const { host: authority } = request.headers;
    if (authority !== undefined && !isServed(authority)) {
      response
        .writeHead(421, { "content-type": "text/plain", ...UNCACHED })
        .end("this host is not served here\n");
      return;
    }
    void respond(metrics, request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      const address = server.address();
      const bound = typeof address === "object" ? address?.port : port;
      const name = host.includes(":") ? `[${host}]` : host;
      resolve({ url: `http://${name}:${bound}/metrics`, close: () => close(server) });
    });
  });
}

/** Whether a header names something that may be sent, with a weight above 0 (RFC 9110 section 12.4.2). */
function takes(header: string, name: string): boolean {
  return header.split(",").some((item) => {
    const [value = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return value === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

async function respond(
  metrics: Metrics,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  response.on("error", () => undefined);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || request.url?.split("?", 1)[0] !== "/metrics") {
    response
      .writeHead(404, { "content-type": "text/plain", ...UNCACHED })
      .end("only GET /metrics is served here\n");
    return;
  }
  const { accept = "", "accept-encoding": encodings = "" } = request.headers;
  try {
    const format = takes(accept, "application/openmetrics-text") ? "openmetrics" : "prometheus";
    const { contentType, body } = await metrics.render(format);
    const headers = { "content-type": contentType, vary: "accept, accept-encoding", ...UNCACHED };
    if (takes(String(encodings), "gzip")) {
      response.writeHead(200, { ...headers, "content-encoding": "gzip" }).end(await compressed(body));
    } else {
      response.writeHead(200, headers).end(body);
    }
  } catch {
    response.writeHead(500).end();
  }
}

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
