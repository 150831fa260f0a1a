import http2 from "node:http2";
import net from "node:net";
import type { Duplex } from "node:stream";
import type { Limits, OnLimit } from "../limits.ts";
import type { Certificate } from "./certificate.ts";
import { checkRequest, useOriginForm } from "./check-request.ts";
import { closeAll, startDrain } from "./drain.ts";
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  isHttp2,
  noKeepAlive,
  outgoing,
} from "./http.ts";
import { createHttp1Server } from "./http1-server.ts";
import { createHttp2Server } from "./http2-server.ts";
import { InFlight } from "./in-flight.ts";
import { type Identify, sniff } from "./preface.ts";
import { sendRefusal } from "./refusal.ts";
import { createSecure } from "./secure.ts";

/** How long a client may go on sending a request that already has its response. */
const LINGER_MS = 1000;

export interface ListenerOptions {
  readonly limits: Limits;
  /** Serves a checked request. What it throws becomes a 500 and is reported. */
  readonly handler: HttpHandler;
  /** Notified of errors that no caller can act on. */
  readonly onError: (error: unknown) => void;
  /** Notified of requests and connections beyond a limit. */
  readonly onLimit: OnLimit;
  /** Notified of TLS handshakes that fail. */
  readonly onTlsFailure?: () => void;
  /** Notified of the HTTP status of requests that do not reach the handler: they are malformed or beyond a limit. */
  readonly onRejected?: (status: number) => void;
  /** Speak TLS with this certificate. Default: cleartext. */
  readonly certificate?: Certificate | undefined;
}

/**
 * One port for HTTP/1.1 and HTTP/2: by ALPN where there is a certificate, else without TLS (prior knowledge), told
 * apart by their first bytes.
 */
export interface Listener {
  /** Listens; port 0 picks a free one. Rejects with Node's error, e.g. EADDRINUSE. */
  listen(port: number, host: string): Promise<net.AddressInfo>;
  /**
   * Takes no new connections after `noticeMs`, lets requests in flight finish, then resolves. Safe to call twice. Default:
   * `drainNoticeMs`.
   */
  drain(noticeMs?: number): Promise<void>;
  /** Connections that are open. */
  connections(): Promise<number>;
  /** New connections get this certificate. Only where there was one from the beginning. */
  useCertificate(certificate: Certificate): void;
}

export function createListener(options: ListenerOptions): Listener {
  const { limits, onLimit } = options;
  const inFlight = new InFlight();
  const pending = new Set<net.Socket>();
  let draining: Promise<void> | undefined;

  const onRequest = (request: HttpRequest, response: HttpResponse) => {
    request.on("error", ignore);
    response.on("error", ignore);
    if (draining !== undefined && !isHttp2(request)) noKeepAlive(response);
    const running = inFlight.add(request, response, (left) => {
      if (draining !== undefined && left === 0 && !isHttp2(request)) request.socket.destroySoon();
    });
    // HTTP/2 refuses by itself; an HTTP/1.1 client could pipeline without end.
    if (running > limits.streamsPerConnection && !isHttp2(request)) {
      onLimit("streamsPerConnection");
      request.socket.destroy();
    } else {
      serve(request, response, options);
    }
  };
  const hasResponse = (socket: Duplex) => [...inFlight.on(socket)].some((response) => response.headersSent);
  const h1 = createHttp1Server(limits, onRequest, hasResponse, {
    onLimit,
    onRejected: options.onRejected ?? ignore,
  });
  const h2 = createHttp2Server(limits, onRequest, onLimit);
  const secure =
    options.certificate && createSecure(options.certificate, limits, options.onTlsFailure ?? ignore);
  const identify: Identify =
    secure?.identify ?? ((socket, report) => sniff(socket, limits.headersTimeoutMs, report));
  const server = net.createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    pending.add(socket);
    socket.once("close", () => pending.delete(socket));
    identify(socket, (protocol, usable) => {
      pending.delete(socket);
      if (protocol === "http2") {
        usable.allowHalfOpen = false;
        h2.server.emit("connection", usable);
      } else {
        h1.emit("connection", usable);
      }
    });
  });
  server.maxConnections = limits.connections;
  server.on("drop", () => onLimit("connections"));

  const parts = { server, h1, sessions: h2.sessions, pending, inFlight };
  return {
    listen: (port, host) => listen(server, port, host),
    drain: (noticeMs = limits.drainNoticeMs) => {
      draining ??= startDrain(parts, { ...limits, drainNoticeMs: noticeMs }).finally(() => closeAll(parts));
      return draining;
    },
    connections: () => count(server),
    useCertificate: (certificate) => secure?.use(certificate),
  };
}

function serve(request: HttpRequest, response: HttpResponse, options: ListenerOptions): void {
  outgoing(response).once("finish", () => lingerForBody(request));
  useOriginForm(request);
  const refusal = checkRequest(request, options.limits);
  if (refusal !== undefined) {
    options.onRejected?.(refusal.status);
    if (refusal.limit !== undefined) options.onLimit(refusal.limit);
    if (!isHttp2(request)) noKeepAlive(response);
    sendRefusal(response, refusal);
    return;
  }
  try {
    options.handler(request, response);
  } catch (error) {
    options.onError(error);
    if (response.headersSent) {
      response.destroy();
    } else {
      sendRefusal(response, { status: 500, code: "internal", message: "internal error" });
    }
  }
}

/**
 * A response is out before its request is in: the rest is read and dropped, so that the connection stays good for
 * the next request, but not for long.
 */
function lingerForBody(request: HttpRequest): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (isHttp2(request)) {
      request.stream.close(http2.constants.NGHTTP2_NO_ERROR);
    } else {
      request.socket.destroy();
    }
  }, LINGER_MS);
  const connection = isHttp2(request) ? request.stream : request.socket;
  const stop = () => {
    clearTimeout(timer);
    connection.off("close", stop);
  };
  request.once("end", stop);
  connection.once("close", stop);
  // A reader that was cut off at a deadline still listens, and would hold the rest back. Without one this must not
  // be called: it would stop a request that Node has begun to drop.
  if (request.listenerCount("readable") > 0) request.removeAllListeners("readable");
  request.resume();
}

function listen(server: net.Server, port: number, host: string): Promise<net.AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") {
        reject(new Error("the server has no port"));
      } else {
        resolve(address);
      }
    });
  });
}

function count(server: net.Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, found) => resolve(found ?? 0)));
}

function ignore(): void {}
