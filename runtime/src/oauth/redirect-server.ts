import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { restError } from "../errors/rest-error.ts";
import { type ResultPage, resultPage } from "./result-page.ts";

/** The request to which a redirect has sent the browser. */
export interface Redirected {
  readonly parameters: URLSearchParams;
  /** Shows a page in the browser. Only the first call has an effect. */
  respond(page: ResultPage): Promise<void>;
}

/** A local server that waits for a browser redirect (RFC 8252 section 7.3). */
export interface RedirectServer {
  /** The address to which the browser must be redirected. */
  readonly redirectUri: string;
  /** Resolves to the first request that belongs to this sign-in. */
  readonly redirected: Promise<Redirected>;
  close(): Promise<void>;
}

/** Options of the redirect server. */
export interface RedirectOptions {
  /** The port. Default: a free port. */
  readonly port?: number | undefined;
  /**
   * Reports whether a request belongs to this sign-in. Other requests, e.g. from web pages that guess the
   * address, are rejected and have no effect.
   */
  readonly isExpected: (parameters: URLSearchParams) => boolean;
}

/** The path of the redirect address. */
const REDIRECT_PATH = "/callback";

/** The maximum number of requests. A browser sends one request, and one more for an icon. */
const MAX_REQUESTS = 100;

/** The maximum size of the request line and the headers, in bytes. */
const MAX_HEADER_BYTES = 32 * 1024;

/**
 * Listens on 127.0.0.1 and, if available, on the same port of ::1. Rejects requests for other host names, and
 * all requests except GET for the redirect path.
 *
 * @throws ConnectError reason OAUTH_PORT_TAKEN
 */
export async function listenForRedirect({ port = 0, isExpected }: RedirectOptions): Promise<RedirectServer> {
  const { promise: redirected, resolve } = Promise.withResolvers<Redirected>();
  let ownPort = 0;
  const receive = receiver(isExpected, resolve, () => ownPort);
  const servers: Server[] = [];
  const listen = async (host: string, at: number) => {
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 10_000 }, receive);
    server.maxConnections = 32;
    server.listen(at, host);
    await once(server, "listening");
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  let host = "127.0.0.1";
  let used: number;
  try {
    used = await listen(host, port);
  } catch (error) {
    // the machine has only IPv6
    if (codeOf(error) !== "EADDRNOTAVAIL") throw taken(port, error);
    host = "[::1]";
    used = await listen("::1", port).catch((cause: unknown) => {
      throw taken(port, cause);
    });
  }
  if (host === "127.0.0.1") await listen("::1", used).catch(() => undefined);
  ownPort = used;
  return {
    redirectUri: `http://${host}:${used}${REDIRECT_PATH}`,
    redirected,
    close: async () => {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

type Receive = (request: IncomingMessage, response: ServerResponse) => void;

function receiver(
  isExpected: (parameters: URLSearchParams) => boolean,
  resolve: (redirected: Redirected) => void,
  portOf: () => number,
): Receive {
  let requests = 0;
  let isDone = false;
  return (request, response) => {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1");
    if (++requests > MAX_REQUESTS || url === null || !isHere(request.headers.host, portOf())) {
      reject(response, 400, "This request is none of a sign-in.");
    } else if (url.pathname !== REDIRECT_PATH) {
      reject(response, 404, "There is nothing here.");
    } else if (request.method !== "GET") {
      reject(response.setHeader("allow", "GET"), 405, "Only GET is served.");
    } else if (!isExpected(url.searchParams)) {
      reject(
        response,
        400,
        "This is not the sign-in that is under way. Go back to the program and start again.",
      );
    } else if (isDone) {
      reject(response, 410, "This sign-in is over already.");
    } else {
      isDone = true;
      resolve({ parameters: url.searchParams, respond: (page) => send(response, 200, page) });
    }
  };
}

/** Rejects requests from web pages whose host name resolves to this machine (DNS rebinding). */
function isHere(host: string | undefined, port: number): boolean {
  return ["127.0.0.1", "[::1]", "localhost"].some((name) => host === `${name}:${port}`);
}

function reject(response: ServerResponse, status: number, text: string): void {
  void send(response, status, { title: "Not signed in", text });
}

/** Sends a page. Resolves once the page is sent or the connection is closed. */
function send(response: ServerResponse, status: number, page: ResultPage): Promise<void> {
  if (response.headersSent) return Promise.resolve();
  const { html, policy } = resultPage(page);
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  return new Promise((resolve) => {
    response.on("close", resolve);
    response.end(html);
  });
}

function taken(port: number, cause: unknown) {
  const problem = codeOf(cause) ?? String(cause);
  return restError("OAUTH_PORT_TAKEN", { port, problem }, { cause });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
