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
  /** Serves a checked request. What it throws becomes a 500 and is reported. */
  readonly handler: HttpHandler;
  /** Sends a rejection in the words of its request's protocol. */
  readonly reject: Reject;
  /** Notified of errors that no caller can act on. */
  readonly onError: (error: unknown) => void;
  /** Notified of requests and connections beyond a limit. */
  readonly onLimit: OnLimit;
  /** Notified of TLS handshakes that fail. */
  readonly onTlsFailure?: () => void;
  /**
   * Notified of HTTP/2 connections that end because their peers violate the
   * protocol below the level of requests.
   */
  readonly onViolation?: () => void;
  /**
   * Notified of the HTTP status of requests that do not reach the handler:
   * they are malformed or beyond a limit.
   */
  readonly onRejected?: (status: number) => void;
  /** Speak TLS with this certificate. Default: cleartext. */
  readonly certificate?: Certificate | undefined;
  /**
   * Whether a request begins a stream that watches a feed, by its path. Such streams have a limit of their
   * own, by which they are counted from the beginning. Default: none does.
   */
  readonly isWatch?: ((path: string) => boolean) | undefined;
  /** Trusted proxies: their connections are many clients'. Default: none. */
  readonly proxies?: ProxyOptions | undefined;
  /** How many files the process may have open. Default: what the system says. */
  readonly openFiles?: number | undefined;
}

/**
 * One port for HTTP/1.1 and HTTP/2: by ALPN where there is a certificate, else without TLS (prior knowledge),
 * told apart by their first bytes.
 */
export interface Listener {
  /** Listens; port 0 picks a free one. Rejects with Node's error, e.g. EADDRINUSE. */
  listen(port: number, host: string): Promise<net.AddressInfo>;
  /**
   * Takes no new connections after `noticeMs`, lets requests in flight finish, then resolves. Safe to call
   * twice. Default: `drainNoticeMs`.
   *
   * @param isReplaced takes no new connections at once, and closes idle ones after `noticeMs`. Default:
   * false.
   */
  drain(noticeMs?: number, isReplaced?: boolean): Promise<void>;
  /** Connections that are open. */
  connections(): Promise<number>;
  /** New connections get this certificate. Only where there was one from the beginning. */
  useCertificate(certificate: Certificate): void;
}

// a name apart from the calls: what ignores an event cannot throw
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
      h1.emit("connection", usable);
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

/** The servers that read requests from the connections they are given. */
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
  const h2 = createHttp2Server(limits, onRequest, onLimit, callbacks, onError, onViolation, attackers);
  return { h1, h2 };
}

/** What does the TLS handshakes; undefined where connections are in cleartext. */
function createSecureServer(
  { certificate, limits, onError, ...options }: ListenerOptions,
  callbacks: Callbacks,
) {
  const onTlsFailure = options.onTlsFailure ?? ignore;
  return certificate && createSecure(certificate, limits, callbacks, { onTlsFailure, onError });
}

/** What becomes of a connection. */
interface ConnectionOptions {
  readonly taker: Taker;
  /** Finds out which protocol a connection speaks. */
  readonly identify: Identify;
  /** Gives a connection to the server of its protocol. */
  readonly handOver: (protocol: string, usable: Duplex, ofConnection: Callbacks) => void;
  readonly callbacks: Callbacks;
  readonly onError: (error: unknown) => void;
}

/** The server that accepts connections, all that are open, and those whose protocol is not known yet. */
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
  // E.g. when the process has no file left for a connection; without a listener this would end it. `listen`
  // reports what keeps the server from listening.
  callbacks.on(server, "error", (error: unknown) => {
    if (server.listening) onError(error);
  });
  return { server, pending, sockets };
}

/** Lets connections and requests in, as many as the limits allow. */
interface Taker {
  /** Whether a connection may stay; it is closed when not. */
  connection(socket: net.Socket, callbacks: Callbacks): boolean;
  /** Serves a request, or rejects it. */
  request(request: HttpRequest, response: HttpResponse, callbacks: () => Callbacks): void;
  readonly attackers: Attackers;
  stop(): void;
}

/** How often responses are looked at, in milliseconds, at most. */
const WATCH_MS = 1000;

/**
 * For how long a client may not read, in milliseconds, when half of all
 * requests that there may be are running.
 */
const CONTENDED_STALL_MS = 1000;

/** The same when one more is too many. */
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
  // until their calls are let in, which have shares: those of one client may be as many as there may be
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
  const turns = new RequestTurns(shared);
  /** What is exceeded by one more request; in a crowd, those that do not read go first. */
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
      // Not by `maxConnections`: what a worker does not take at all,
      // its primary process hands out again without end.
      onLimit(limit);
      socket.destroy();
      return false;
    },
    request: (request, response, callbacks) => {
      // one that was closed for pipelining too much, in the same read
      if (!isHttp2(request) && request.socket.destroyed) return;
      const origin = originOf(request);
      const isWatch =
        options.isWatch?.(request.url ?? "") === true && watches.excess(origin.client) === undefined;
      const exceeded = isWatch ? undefined : excessOf(origin.client);
      if (isDraining() && !isHttp2(request)) noKeepAlive(response);
      const counts = isWatch ? watches : requests;
      const taken = new TakenRequest(request, response, origin, callbacks, counts, parts);
      if (taken.running > limits.streamsPerConnection && !isHttp2(request)) {
        // HTTP/2 rejects by itself; an HTTP/1.1 client could pipeline without end.
        onLimit("streamsPerConnection");
        request.socket.destroy();
      } else if (exceeded !== undefined) {
        rejectMore(exceeded, request, response, requests.size, options);
      } else {
        serveInTurn(turns, request, response, taken, callbacks, options);
      }
    },
    attackers,
    stop: () => timer.stop(),
  };
}

/** The limit that a new connection is beyond; undefined for none. */
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
 * How many rejected requests there may be, beside those that are served, until connections are closed instead.
 */
const REFUSED_AT_ONCE = 1000;

/** Rejects a request of too many. Without a body, which a client that reads nothing would leave here. */
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

/** Serves a request now or in a later turn of the event loop, unless its client is gone by then. */
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
  const takeBack = turns.add(taken.origin.client, begin);
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
