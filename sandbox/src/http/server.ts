import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from "node:net";
import type { FaultQueue } from "./faults.ts";
import type { ReceivedList } from "./received.ts";
import { type HttpResponse, reject } from "./response.ts";
import { send } from "./send.ts";
import { spoilBefore } from "./spoil.ts";

/** The parts of the service that the server needs. */
export interface ServerParts {
  /** Responds to a request. Throws only unexpected errors. */
  readonly respond: (request: IncomingMessage) => Promise<HttpResponse>;
  /** Returns the time in milliseconds since 1970. */
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

/**
 * Sends an unexpected error as a 500 in the envelope, including its message, so that a failing test can show
 * the cause.
 */
function fail(error: unknown, request: IncomingMessage, out: ServerResponse): void {
  if (out.headersSent || out.destroyed) {
    out.destroy();
    return;
  }
  const { response } = reject(
    500,
    error instanceof Error ? `${error.message}\n${error.stack}` : String(error),
  );
  send(request, out, response, undefined, false).catch(() => out.destroy());
}

/** A certificate and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A listening server. */
export interface Listener {
  /** `http://host:port`. */
  readonly url: string;
  /**
   * Stops listening, and drops every connection, even if its response never ends. With `graceMs`, busy
   * connections may finish within that time.
   */
  close(graceMs?: number): Promise<void>;
}

const SERVER_OPTIONS = { keepAliveTimeout: 30_000, requestTimeout: 0 } as const;

/** The first byte of a TLS connection, which is a record of type handshake (RFC 8446 section 5.1). */
const TLS_HANDSHAKE = 22;

/**
 * Passes each connection to the server for its protocol. The first byte of the connection shows the protocol.
 */
function splitter(plain: Server, secure: Server): TcpServer {
  return createTcpServer({ noDelay: true }, (socket) => {
    const drop = () => socket.destroy();
    socket.once("error", drop);
    socket.once("readable", () => {
      const first: Buffer | null = socket.read(1);
      socket.off("error", drop);
      if (first === null) {
        drop();
        return;
      }
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? secure : plain).emit("connection", socket);
    });
  });
}

/**
 * Starts to listen. Port 0 means any free port. If there is a certificate, the port accepts both HTTP and
 * HTTPS.
 */
export async function listen(
  parts: ServerParts,
  host: string,
  port: number,
  tls?: TlsFiles,
): Promise<Listener> {
  const handle = (request: IncomingMessage, out: ServerResponse) => {
    out.on("error", () => undefined);
    serve(parts, request, out).catch((error: unknown) => fail(error, request, out));
  };
  const plain = createServer(SERVER_OPTIONS, handle);
  const secure = tls && createTlsServer({ ...SERVER_OPTIONS, ...tls }, handle);
  const front: TcpServer = secure ? splitter(plain, secure) : plain;
  const sockets = new Set<Socket>();
  front.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    front.once("error", reject);
    front.listen(port, host, resolve);
  });
  const servers = secure ? [plain, secure] : [plain];
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${(front.address() as AddressInfo).port}`,
    close: (graceMs = 0) => closeAll(front, servers, sockets, graceMs),
  };
}

async function closeAll(
  front: TcpServer,
  servers: readonly Server[],
  sockets: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => front.close(() => resolve()));
  // busy keep-alive connections become idle later, and `close` alone would wait for them
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, 20);
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
