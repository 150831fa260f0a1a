import net from "node:net";
import type { Duplex } from "node:stream";
import type { Limits, OnLimit } from "../limits.ts";
import { Attackers } from "./attackers.ts";
import { Callbacks } from "./callbacks.ts";
import type { Certificate } from "./certificate.ts";
import { checkRequest, useOriginForm } from "./check-request.ts";
import { ClientCounts } from "./client-counts.ts";
import { closeAll, startDrain } from "./drain.ts";
import { failExchange, lingerForClose } from "./exchange.ts";
import { serveHalfClosed } from "./half-closed.ts";
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
import { leavesTooFew, maxConnections, maxOpenFiles } from "./open-files.ts";
import { type Identify, ofSocket, sniff } from "./preface.ts";
import { createOriginReader, createProxyCheck, type ProxyOptions } from "./proxies.ts";
import type { HttpRejection, Reject } from "./rejection.ts";
import { RequestTurns } from "./request-turns.ts";
import { createSecure } from "./secure.ts";
import { type TakenParts, TakenRequest } from "./taken-request.ts";
import { UnorderedSet } from "./unordered-set.ts";
import { WireHeads } from "./wire-heads.ts";
import { WriteWatch } from "./write-watch.ts";

export interface ListenerOptions {
  readonly limits: Limits;
  /** Serves a checked request. An error that it throws becomes a 500 response and is reported. */
  readonly handler: HttpHandler;
  /** Sends a rejection in the format of the request's protocol. */
  readonly reject: Reject;
  /** Receives errors that callers cannot resolve. */
  readonly onError: (error: unknown) => void;
  /** Called for each request or connection that exceeds a limit. */
  readonly onLimit: OnLimit;
  /** Called for each TLS handshake that fails. */
  readonly onTlsFailure?: () => void;
  /**
   * Called for each HTTP/2 connection that ends because its peer violates the protocol below the level of
   * requests.
   */
  readonly onViolation?: () => void;
  /**
   * Receives the HTTP status of each request that does not reach the handler, because it is malformed or
   * exceeds a limit.
   */
  readonly onRejected?: (status: number) => void;
  /** The certificate for TLS. Default: cleartext. */
  readonly certificate?: Certificate | undefined;
  /**
   * Returns whether a path belongs to a stream that watches a feed. Such streams count towards a separate
   * limit from the start. Default: no path does.
   */
  readonly isWatch?: ((path: string) => boolean) | undefined;
  /** Trusted proxies, whose connections carry many clients. Default: none. */
  readonly proxies?: ProxyOptions | undefined;
  /** The maximum number of files that the process may have open. Default: the limit that the system sets. */
  readonly openFiles?: number | undefined;
}

/**
 * A single port for HTTP/1.1 and HTTP/2. With a certificate, ALPN selects the protocol; without TLS, the
 * first bytes of a connection do (prior knowledge).
 */
export interface Listener {
  /** Starts to listen; port 0 picks a free port. Rejects with Node's error, e.g. EADDRINUSE. */
  listen(port: number, host: string): Promise<net.AddressInfo>;
  /**
   * Stops accepting connections after `noticeMs`, lets requests in flight finish, then resolves. May be
   * called twice. Default: `drainNoticeMs`.
   *
   * @param isReplaced if true, stops accepting connections immediately, and closes idle connections after
   *   `noticeMs`. Default: false.
   */
  drain(noticeMs?: number, isReplaced?: boolean): Promise<void>;
  /** Returns the number of open connections. */
  connections(): Promise<number>;
  /** Uses a certificate for new connections. The listener must have been created with a certificate. */
  useCertificate(certificate: Certificate): void;
}

// a named constant: a listener that ignores an event cannot throw
const ERROR = "error";

export function createListener(options: ListenerOptions): Listener {
  const { limits, onError } = options;
  const callbacks = new Callbacks(onError);
  const inFlight = new InFlight();
  const taken = new UnorderedSet<TakenRequest>();
  let draining: Promise<void> | undefined;
  const taker = createTaker(options, inFlight, taken, () => draining !== undefined);
  const { h1, h2 } = createServers(options, taker, inFlight, callbacks);
  const secure = createSecureServer(options, callbacks);
  const handOver = (protocol: string, usable: Duplex, ofConnection: Callbacks) => {
    if (protocol === "http2") {
      usable.allowHalfOpen = false;
      lingerForClose(usable, ofConnection);
      h2.take(usable);
    } else {
      serveHalfClosed(usable, () => inFlight.owedBy(usable), ofConnection);
      taker.reads.begin(usable, () => {
        if (usable.destroyed) return;
        h1.emit("connection", usable);
        taker.reads.addHttp1(usable, ofConnection);
      });
    }
  };
  const identify: Identify =
    secure?.identify ?? ((socket, report) => sniff(socket, limits.headersTimeoutMs, report, onError));
  const connections = createConnectionServer({ taker, identify, handOver, callbacks, onError });
  const { server } = connections;
  const parts = { ...connections, h1, sessions: h2.sessions, taken };
  return {
    listen: (port, host) => listen(server, port, host),
    drain: (noticeMs = limits.drainNoticeMs, isReplaced = false) => {
      const noticed = { ...limits, drainNoticeMs: noticeMs };
      draining ??= startDrain(parts, noticed, callbacks, isReplaced).finally(() => {
        taker.stop();
        closeAll(parts);
      });
      return draining;
    },
    connections: () => count(server),
    useCertificate: (certificate) => secure?.use(certificate),
  };
}

/** Creates the servers that read requests on connections. */
function createServers(options: ListenerOptions, taker: Taker, inFlight: InFlight, callbacks: Callbacks) {
  const { limits, onLimit, onError } = options;
  const onRequest = (request: HttpRequest, response: HttpResponse) => {
    const fail = (error: unknown) => {
      onError(error);
      failExchange(request, response, options.reject);
    };
    if (!isHttp2(request)) {
      request.on(ERROR, ignore);
      outgoing(response).on(ERROR, ignore);
    }
    try {
      taker.request(request, response, () => new Callbacks(fail));
    } catch (error) {
      fail(error);
    }
  };
  const hasResponse = (socket: Duplex) => inFlight.owedBy(socket).some((response) => response.headersSent);
  const onRejected = options.onRejected ?? ignore;
  const h1 = createHttp1Server(limits, onRequest, hasResponse, callbacks, { onLimit, onRejected, onError });
  const onViolation = options.onViolation ?? ignore;
  const { attackers } = taker;
  const h2 = createHttp2Server(
    limits,
    onRequest,
    onLimit,
    callbacks,
    onError,
    onViolation,
    attackers,
    taker.reads,
  );
  return { h1, h2 };
}

/** Creates the server for TLS handshakes; undefined for cleartext. */
function createSecureServer(
  { certificate, limits, onError, ...options }: ListenerOptions,
  callbacks: Callbacks,
) {
  const onTlsFailure = options.onTlsFailure ?? ignore;
  return certificate && createSecure(certificate, limits, callbacks, { onTlsFailure, onError });
}

/** The functions that handle a connection. */
interface ConnectionOptions {
  readonly taker: Taker;
  /** Detects the protocol of a connection. */
  readonly identify: Identify;
  /** Passes a connection to the server of its protocol. */
  readonly handOver: (protocol: string, usable: Duplex, ofConnection: Callbacks) => void;
  readonly callbacks: Callbacks;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the server that accepts connections. Also returns the set of all open connections, and the set of
 * connections whose protocol is not known yet.
 */
function createConnectionServer({ taker, identify, handOver, callbacks, onError }: ConnectionOptions) {
  const pending = new Set<net.Socket>();
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ noDelay: true, allowHalfOpen: true });
  const onConnection = (socket: net.Socket, ofConnection: Callbacks) => {
    if (!taker.connection(socket, ofConnection)) return;
    pending.add(socket);
    sockets.add(socket);
    ofConnection.once(socket, "close", () => {
      pending.delete(socket);
      sockets.delete(socket);
    });
    identify(socket, (protocol, usable) => {
      pending.delete(socket);
      handOver(protocol, usable, ofConnection);
    });
  };
  callbacks.on(server, "connection", (socket: net.Socket) => {
    const ofConnection = ofSocket(socket, onError);
    ofConnection.guarded(onConnection)(socket, ofConnection);
  });
  // Occurs, for example, if the process has no file descriptor left for a connection; without a listener, the
  // event would end the process. Errors that prevent the server from listening are reported by `listen`.
  callbacks.on(server, "error", (error: unknown) => {
    if (server.listening) onError(error);
  });
  return { server, pending, sockets };
}

/** Admits connections and requests up to the limits. */
interface Taker {
  /** Returns whether a connection may stay; closes it otherwise. */
  connection(socket: net.Socket, callbacks: Callbacks): boolean;
  /** Serves or rejects a request. */
  request(request: HttpRequest, response: HttpResponse, callbacks: () => Callbacks): void;
  readonly attackers: Attackers;
  readonly reads: RequestTurns["reads"];
  stop(): void;
}

/** The maximum interval between two checks of responses, in milliseconds. */
const WATCH_MS = 1000;

/** The time that a response may stay unread, in milliseconds, while half of the request slots are taken. */
const CONTENDED_STALL_MS = 1000;

/** The time that a response may stay unread, in milliseconds, once a request exceeds a limit. */
const CROWDED_STALL_MS = 200;

function createTaker(
  options: ListenerOptions,
  inFlight: InFlight,
  running: UnorderedSet<TakenRequest>,
  isDraining: () => boolean,
): Taker {
  const { limits, onLimit, openFiles = maxOpenFiles() } = options;
  const most = maxConnections(limits, openFiles);
  const connections = new ClientCounts(most.all, most.perClient);
  const requests = new ClientCounts(limits.requestsInFlight, limits.requestsPerClient);
  // counts watches until their calls are admitted; the limit per client applies only on admission, so one
  // client may use all slots until then
  const watches = new ClientCounts(limits.watchers, limits.watchers);
  const isProxy = createProxyCheck(options.proxies);
  const attackers = new Attackers(limits, isProxy);
  const originOf = createOriginReader(options.proxies);
  const watch = new WriteWatch(
    () => limits.stalledWriteMs,
    () => onLimit("stalledWriteMs"),
    running,
  );
  const parts: TakenParts = { inFlight, running, watch, heads: new WireHeads(), isDraining };
  const everyMs = Math.max(10, Math.min(WATCH_MS, limits.stalledWriteMs / 4));
  const shared = new Callbacks(options.onError);
  const timer = shared.every(everyMs, () => watch.check());
  const turns = new RequestTurns(shared, isProxy);
  /** Returns the limit that one more request would exceed. Under contention, cuts unread responses first. */
  const excessOf = (client: string) => {
    const found = requests.excess(client);
    if (!requests.isContended) return found;
    const hasRoom = watch.shed(found === undefined ? CONTENDED_STALL_MS : CROWDED_STALL_MS);
    return hasRoom && requests.size < limits.requestsInFlight + REFUSED_AT_ONCE ? undefined : found;
  };
  return {
    connection: (socket, callbacks) => {
      const client = socket.remoteAddress ?? "";
      const excess = connections.excess(client);
      const limit = connectionLimit(socket, excess, isProxy(client), attackers, openFiles);
      if (limit === undefined) {
        callbacks.once(socket, "close", connections.add(client));
        return true;
      }
      // Not `maxConnections`: with it, the primary process would endlessly redistribute connections that a
      // worker does not accept.
      onLimit(limit);
      socket.destroy();
      return false;
    },
    request: (request, response, callbacks) => {
      if (!isHttp2(request)) turns.reads.countRequest();
      // the connection was closed for excessive pipelining during the same read
      if (!isHttp2(request) && request.socket.destroyed) return;
      const origin = originOf(request);
      const isWatch =
        options.isWatch?.(request.url ?? "") === true && watches.excess(origin.client) === undefined;
      const exceeded = isWatch ? undefined : excessOf(origin.client);
      if (isDraining() && !isHttp2(request)) noKeepAlive(response);
      const counts = isWatch ? watches : requests;
      const taken = new TakenRequest(request, response, origin, callbacks, counts, parts);
      if (taken.running > limits.streamsPerConnection && !isHttp2(request)) {
        // HTTP/2 enforces this limit itself, while an HTTP/1.1 client could pipeline any number of requests.
        onLimit("streamsPerConnection");
        request.socket.destroy();
      } else if (exceeded !== undefined) {
        rejectMore(exceeded, request, response, requests.size, options);
      } else {
        serveInTurn(turns, request, response, taken, callbacks, options);
      }
    },
    attackers,
    reads: turns.reads,
    stop: () => {
      timer.stop();
      turns.reads.close();
    },
  };
}

/** Returns the limit that a new connection exceeds; undefined if the connection may stay. */
function connectionLimit(
  socket: net.Socket,
  excess: "all" | "client" | undefined,
  isProxy: boolean,
  attackers: Attackers,
  openFiles: number | undefined,
) {
  if (excess === "all" || leavesTooFew(socket, openFiles)) return "connections";
  if (isProxy) return undefined;
  if (excess === "client") return "connectionsPerClient";
  return attackers.isBlocked(socket.remoteAddress ?? "", performance.now()) ? "resetsPerSecond" : undefined;
}

/**
 * The number of requests over `requestsInFlight` that are rejected with a response. Requests over this number
 * close their connections.
 */
const REFUSED_AT_ONCE = 1000;

/**
 * Rejects a request over a limit. The response has no body, because a client that does not read would leave
 * the body in memory.
 */
function rejectMore(
  exceeded: "all" | "client",
  request: HttpRequest,
  response: HttpResponse,
  size: number,
  { limits, onLimit, onRejected, reject }: ListenerOptions,
): void {
  const limit = exceeded === "all" ? "requestsInFlight" : "requestsPerClient";
  onLimit(limit);
  onRejected?.(503);
  if (size > limits.requestsInFlight + REFUSED_AT_ONCE) {
    closeConnection(request);
    return;
  }
  const whose = exceeded === "all" ? "" : " of this client";
  const message = `${limits[limit]} requests${whose} are running, the limit ${limit}; try again later`;
  const headers = { "retry-after": "1" };
  reject(request, response, { status: 503, code: "unavailable", message, limit, headers, isBare: true });
}

function closeConnection(request: HttpRequest): void {
  if (isHttp2(request)) {
    request.stream.session?.destroy();
  } else {
    request.socket.destroy();
  }
}

/** Serves a request now or in a later turn of the event loop, unless its client disconnects first. */
function serveInTurn(
  turns: RequestTurns,
  request: HttpRequest,
  response: HttpResponse,
  taken: TakenRequest,
  callbacks: () => Callbacks,
  options: ListenerOptions,
): void {
  const begin = () => {
    try {
      serve(request, response, taken, options);
    } catch (error) {
      callbacks().fail(error);
    }
  };
  const connection = isHttp2(request) ? request.stream.session : request.socket;
  const takeBack = turns.add(taken.origin.client, begin, connection);
  if (takeBack !== undefined) callbacks().once(outgoing(response), "close", takeBack);
}

function serve(
  request: HttpRequest,
  response: HttpResponse,
  taken: TakenRequest,
  options: ListenerOptions,
): void {
  useOriginForm(request);
  const rejection: HttpRejection | undefined = checkRequest(request, taken.headBytes, options.limits);
  if (rejection === undefined) {
    options.handler(request, response, taken);
    return;
  }
  options.onRejected?.(rejection.status);
  if (rejection.limit !== undefined) options.onLimit(rejection.limit);
  noKeepAlive(response);
  options.reject(request, response, rejection);
}

function listen(server: net.Server, port: number, host: string): Promise<net.AddressInfo> {
  return new Promise((resolve, reject) => {
    const callbacks = new Callbacks(reject);
    const off = callbacks.once(server, "error", reject);
    callbacks.once(server, "listening", () => {
      off();
      const address = server.address();
      if (address === null || typeof address === "string") {
        reject(new Error("the server has no port"));
      } else {
        resolve(address);
      }
    });
    server.listen({ port, host });
  });
}

function count(server: net.Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, found) => resolve(found ?? 0)));
}

function ignore(): void {}
