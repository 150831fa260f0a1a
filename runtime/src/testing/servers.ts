import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";

/** A test's server, on a free port. */
export interface TestServer {
  readonly url: string;
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves when the next connection is closed. */
  socketClosed(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts an HTTP upstream. */
export function httpUpstream(listener: RequestListener): Promise<TestServer> {
  return start(createServer(listener));
}

/** Starts an upstream that writes raw bytes. `listener` is called once the head of a request has arrived. */
export function rawUpstream(listener: (socket: Socket) => void): Promise<TestServer> {
  return start(createTcpServer((socket) => socket.once("data", () => listener(socket))));
}

/** Starts an HTTP upstream that sends the same response to every request. */
export function respondingWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = "",
): Promise<TestServer> {
  return httpUpstream((_request, response) => response.writeHead(status, headers).end(body));
}

/** Starts an HTTP upstream that responds with JSON. */
export function respondingWithJson(body: unknown, status = 200): Promise<TestServer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return respondingWith(status, { "content-type": "application/json" }, text);
}

/** Reads the body of a request. */
export async function textOfRequest(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Responds with JSON. */
export function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));
}

/** Returns a port on which no server listens. */
export async function closedPort(): Promise<string> {
  const server = createTcpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

async function start(server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    // many tests cause connection resets
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      for (const resolve of waiting) resolve();
      waiting.clear();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    socketClosed: () => new Promise((resolve) => waiting.add(resolve)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, "close");
    },
  };
}
