import http from "node:http";
import { ANY_HOST, createHostCheck, hostsOf, isLoopback } from "./hosts.ts";
import { UNCACHED } from "./refusal.ts";

/** Where something for operators is served, on a port of its own. */
export interface SidePlace {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 picks a free one. */
  readonly port: number;
}

/** A server on a port of its own that listens. */
export interface SideServer {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 5000;
const MAX_CONNECTIONS = 64;

/**
 * Listens beside the port for callers, so that it never shows what is for operators, and they are served when that one
 * is crowded. On loopback, requests for other hosts get 421; beyond it every host is served: scrapers send addresses.
 * Rejects when the port cannot be had.
 */
export function startSideServer(
  { host = "127.0.0.1", port }: SidePlace,
  handler: http.RequestListener,
): Promise<SideServer> {
  const options = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requireHostHeader: false,
  };
  const isServed = createHostCheck(hostsOf(host, isLoopback(host) ? undefined : [ANY_HOST]));
  const server = http.createServer(options, (request, response) => {
    response.on("error", () => undefined);
    const { host: authority } = request.headers;
    if (authority !== undefined && !isServed(authority)) {
      sendText(response, 421, "this host is not served here");
    } else {
      handler(request, response);
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      const address = server.address();
      const bound = typeof address === "object" ? address?.port : port;
      const name = host.includes(":") ? `[${host}]` : host;
      resolve({ url: `http://${name}:${bound}`, close: () => close(server) });
    });
  });
}

/** Sends a line of text. */
export function sendText(response: http.ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain", ...UNCACHED }).end(`${text}\n`);
}

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
