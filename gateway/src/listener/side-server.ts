import type http from "node:http";
import { Callbacks } from "./callbacks.ts";
import { ANY_HOST, createHostCheck, hostsOf, isLoopback } from "./hosts.ts";
import { cut } from "./http.ts";
import { nodeHttp } from "./node-http.ts";
import { UNCACHED } from "./rejection.ts";
import { WriteWatch } from "./write-watch.ts";

/** The address of an endpoint for operators, on a separate port. */
export interface SidePlace {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** The port; 0 picks a free port. */
  readonly port: number;
}

/** A listening server on a separate port. */
export interface SideServer {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 5000;
const MAX_CONNECTIONS = 64;

/** The time that a response may stay unread, in milliseconds. */
const STALLED_MS = 30_000;

/**
 * Listens on a separate port, so that the port for callers never exposes operator endpoints, and operators
 * are served even when callers exhaust the limits of their port. On a loopback address, requests for other
 * hosts get 421. On other addresses every host is served, since scrapers use addresses. Rejects if the port
 * is not available.
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
  const server = nodeHttp.createServer(options);
  const watch = new WriteWatch(() => STALLED_MS, ignore);
  const serve = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { host: authority } = request.headers;
    if (authority !== undefined && !isServed(authority)) {
      sendText(response, 421, "this host is not served here");
    } else {
      handler(request, response);
    }
  };
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    // Once the server has started, rejecting the promise has no effect.
    const callbacks = new Callbacks(reject);
    callbacks.on(server, "error", reject);
    callbacks.on(server, "request", (request: http.IncomingMessage, response: http.ServerResponse) => {
      const ofRequest = new Callbacks(() => cut(response));
      ofRequest.on(response, "error", ignore);
      watch.add(response, ofRequest);
      ofRequest.guarded(serve)(request, response);
    });
    const timer = callbacks.every(STALLED_MS / 4, () => watch.check());
    callbacks.once(server, "close", timer.stop);
    callbacks.once(server, "listening", () => {
      const address = server.address();
      const bound = typeof address === "object" ? address?.port : port;
      const name = host.includes(":") ? `[${host}]` : host;
      resolve({ url: `http://${name}:${bound}`, close: () => close(server) });
    });
    // not shared between processes, even if they share the port that callers use
    server.listen({ host, port, exclusive: true });
  });
}

/** Sends one line of text. */
export function sendText(response: http.ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain", ...UNCACHED }).end(`${text}\n`);
}

function ignore(): void {}

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
