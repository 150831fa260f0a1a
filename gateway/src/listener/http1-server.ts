import type http from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Limits, OnLimit } from "../limits.ts";
import type { Callbacks } from "./callbacks.ts";
import { nodeHttp } from "./node-http.ts";
import { ofSocket } from "./preface.ts";
import { type HttpRejection, sendRawRejection } from "./rejection.ts";

/** Returns whether a response has begun on a connection, after which nothing else may be written to it. */
type HasResponse = (socket: Duplex) => boolean;

/** Serves one HTTP/1.1 request. */
export type Http1Listener = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** Receives requests that do not reach the listener, and defects. */
interface Notified {
  readonly onLimit: OnLimit;
  readonly onRejected: (status: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The maximum header size that Node accepts, in bytes. The listener rejects headers over its own, lower limit
 * with an explanation, in the format of the protocol.
 */
const LARGEST_HEADERS = 64 * 1024;

/**
 * Creates the HTTP/1.1 server of the port. The server does not listen itself, but receives connections. It
 * has no timer for whole bodies, because uploads may take long; a separate limit applies to pauses within a
 * body.
 */
export function createHttp1Server(
  limits: Limits,
  onRequest: Http1Listener,
  hasResponse: HasResponse,
  callbacks: Callbacks,
  { onLimit, onRejected, onError }: Notified,
): http.Server {
  const reject = (socket: Duplex, rejection: HttpRejection) => {
    onRejected(rejection.status);
    if (rejection.limit !== undefined) onLimit(rejection.limit);
    sendRawRejection(socket, rejection);
  };
  const options: http.ServerOptions = {
    maxHeaderSize: Math.max(LARGEST_HEADERS, limits.headerBytes),
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: Math.max(10, Math.min(1000, limits.headersTimeoutMs / 4)),
    // If the Host header is missing, Node would send an empty 400; the listener sends an explanation.
    requireHostHeader: false,
  };
  const server = nodeHttp.createServer(options);
  // A client that has half-closed its connection still gets the response. Node's types lack this property.
  Reflect.set(server, "httpAllowHalfOpen", true);
  // One more than allowed: Node drops excess headers silently, so the listener compares the number of headers
  // with its limit.
  server.maxHeadersCount = limits.headerCount + 1;
  const overdue = new WeakSet<Duplex>();
  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET" || hasResponse(socket)) {
      socket.destroy();
    } else {
      reject(socket, parseRejection(error, limits));
    }
  };
  const onTunnel = (request: http.IncomingMessage, socket: Duplex) => {
    const ofTunnel = ofSocket(socket, onError);
    ofTunnel.on(socket, "error", () => socket.destroy());
    ofTunnel.guarded(reject)(socket, tunnelRejection(request));
  };
  const serve: Http1Listener = (request, response) => {
    overdue.delete(request.socket);
    onRequest(request, response);
  };
  callbacks.on(server, "request", serve);
  // After the process was stopped or busy, Node's timers run before the bytes that arrived in the meantime
  // are read. The timeout therefore applies only once these bytes have been read.
  callbacks.on(server, "timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    ofSocket(socket, onError).soon(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
  // Node would respond to these requests itself, and nothing would catch its exceptions.
  callbacks.on(server, "checkContinue", (request: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeContinue();
    serve(request, response);
  });
  callbacks.on(server, "checkExpectation", serve);
  callbacks.on(server, "connect", onTunnel);
  callbacks.on(server, "clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const ofClient = ofSocket(socket, onError);
    if (error.code !== "ERR_HTTP_REQUEST_TIMEOUT") {
      ofClient.guarded(onClientError)(error, socket);
      return;
    }
    overdue.add(socket);
    ofClient.soon(() => {
      if (overdue.has(socket)) onClientError(error, socket);
    });
  });
  // This event makes Node start its list of connections, which it needs for the header timeout and for
  // closing idle connections.
  server.emit("listening");
  return server;
}

function tunnelRejection({ method }: http.IncomingMessage): HttpRejection {
  const message = `${method} is not served here; call methods by POST`;
  return { status: 405, code: "unimplemented", message, headers: { allow: "GET, HEAD, POST, OPTIONS" } };
}

function parseRejection(error: NodeJS.ErrnoException, limits: Limits): HttpRejection {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW": {
      const message = `the headers are longer than headerBytes, ${limits.headerBytes} bytes`;
      return { status: 431, code: "resource_exhausted", message, limit: "headerBytes" };
    }
    case "ERR_HTTP_REQUEST_TIMEOUT": {
      const message = `the headers did not arrive within headersTimeoutMs, ${limits.headersTimeoutMs} ms`;
      return { status: 408, code: "deadline_exceeded", message, limit: "headersTimeoutMs" };
    }
    default:
      return { status: 400, code: "invalid_argument", message: `not an HTTP/1.1 request: ${error.message}` };
  }
}
