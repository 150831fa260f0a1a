import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FaultQueue } from "./faults.ts";
import type { ReceivedList } from "./received.ts";
import { type HttpResponse, refuse } from "./response.ts";
import { send } from "./send.ts";
import { spoilBefore } from "./spoil.ts";

/** What the server needs of the service that it serves. */
export interface ServerParts {
  /** Responds to a request; it throws only what nobody foresaw. */
  readonly respond: (request: IncomingMessage) => Promise<HttpResponse>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly faults: FaultQueue;
  readonly received: ReceivedList;
}

async function serve(parts: ServerParts, request: IncomingMessage, out: ServerResponse): Promise<void> {
  parts.received.record(request, parts.now());
  const fault = parts.faults.take(request);
  if (fault && (await spoilBefore(fault, request, out))) return;
  const response = await parts.respond(request);
  const jsonp = !(request.url ?? "").startsWith("/feed/");
  await send(request, out, response, fault, jsonp);
}

/** An error nobody foresaw: 500 in the envelope, with its text, so that a test that meets it can say why. */
function fail(error: unknown, request: IncomingMessage, out: ServerResponse): void {
  if (out.headersSent || out.destroyed) {
    out.destroy();
    return;
  }
  const { response } = refuse(
    500,
    error instanceof Error ? `${error.message}\n${error.stack}` : String(error),
  );
  send(request, out, response, undefined, false).catch(() => out.destroy());
}

/** Listens; `port` 0 picks a free one. */
export async function listen(parts: ServerParts, host: string, port: number): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 30_000, requestTimeout: 0 }, (request, out) => {
    out.on("error", () => undefined);
    serve(parts, request, out).catch((error: unknown) => fail(error, request, out));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}

export function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Stops listening and drops every connection, also those that hang. */
export async function closeServer(server: Server, graceMs = 0): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection that was busy a moment ago is idle the next; `close` alone would wait for it.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
