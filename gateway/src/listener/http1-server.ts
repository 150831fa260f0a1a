import type http from "node:http";
import type { Duplex } from "node:stream";
import type { Limits, OnLimit } from "../limits.ts";
import type { Callbacks } from "./callbacks.ts";
import { nodeHttp } from "./node-http.ts";
import { ofSocket } from "./preface.ts";
import { type HttpRejection, sendRawRejection } from "./rejection.ts";

/** Whether a connection has begun to send a response, so that nothing else may be written to it. */
type HasResponse = (socket: Duplex) => boolean;

/** Serves one HTTP/1.1 request. */
export type Http1Listener = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** Who hears of requests that do not reach the listener, and of defects. */
interface Notified {
  readonly onLimit: OnLimit;
  readonly onRejected: (status: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Headers that Node takes; the listener rejects what is beyond its own limit with a text,
 * in the words of its protocol.
 */
const LARGEST_HEADERS = 64 * 1024;

/**
 * The HTTP/1.1 half of the port: it listens nowhere and is handed connections. Whole bodies have no timer
 * here: uploads may take long, and silence within a body has a limit of its own.
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
    // Without a Host, Node sends an empty 400: the listener says why.
    requireHostHeader: false,
  };
  const server = nodeHttp.createServer(options);
  // A client that has sent its end still gets the response. Node's types do not know the property.
  Reflect.set(server, "httpAllowHalfOpen", true);
  // One more than allowed: Node drops the rest silently, and the listener rejects by the count.
  server.maxHeadersCount = limits.headerCount + 1;
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
  callbacks.on(server, "request", onRequest);
  // Node would send these itself, where nothing catches what that throws.
  callbacks.on(server, "checkContinue", (request: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeContinue();
    onRequest(request, response);
  });
  callbacks.on(server, "checkExpectation", onRequest);
  callbacks.on(server, "connect", onTunnel);
  callbacks.on(server, "clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    ofSocket(socket, onError).guarded(onClientError)(error, socket);
  });
  // Only this event starts Node's list of connections: no header timeout and no idle close without it.
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
