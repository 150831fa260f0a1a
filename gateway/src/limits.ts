/** A limit of the gateway, as described in the configuration reference. */
export interface LimitEntry {
  /** The value if the configuration does not set one. */
  readonly default: number;
  readonly unit: "ms" | "bytes" | "count" | "per second" | "percent";
  /** The minimum value in the configuration. Default: 1. */
  readonly min?: number;
  /** The maximum value in the configuration. */
  readonly max: number;
  /** Whether a new value applies on reload; other limits need a restart. Default: false. */
  readonly reloads?: boolean;
  /**
   * Whether the limit applies to all workers together, so that each worker gets an equal part. Default:
   * false.
   */
  readonly shared?: boolean;
  /** The limited resource, and the consequence of exceeding the limit. */
  readonly effect: string;
}

const DAY = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/** Creates a function that makes limits with these common properties. */
function kind(common: Omit<LimitEntry, "default" | "effect">) {
  return (byDefault: number, effect: string): LimitEntry => ({ ...common, default: byDefault, effect });
}

const COUNT = { unit: "count", max: 1_000_000, shared: true } as const;
const sharedCount = kind(COUNT);
const liveSharedCount = kind({ ...COUNT, reloads: true });
const count = kind({ unit: "count", max: 10_000 });
const ms = kind({ unit: "ms", max: DAY });
const liveMs = kind({ unit: "ms", max: DAY, reloads: true });
const bytes = kind({ unit: "bytes", max: GIB });
const liveSharedBytes = kind({ unit: "bytes", max: 2 ** 31 - 1, reloads: true, shared: true });

/**
 * Every limit of the gateway. All are finite, and `server.limits` in the configuration can change each of
 * them.
 */
export const LIMIT_TABLE = {
  connections: sharedCount(
    10_000,
    "The maximum number of open connections, at most five eighths of the files that the process may open (Linux: `ulimit -n`). Further connections are closed immediately. A connection is also closed if it would leave less than a quarter of these files for connections to upstreams.",
  ),
  connectionsPerClient: sharedCount(
    1000,
    "The maximum number of open connections of one client address (IPv6: one /64 network), once half of `connections` are open. Until then, a single client may hold all connections. If the process may open too few files for `connections`, the limit is at most half of the possible connections. Further connections are closed immediately. Trusted proxies are exempt.",
  ),
  requestsInFlight: sharedCount(
    12_000,
    "The maximum number of concurrent requests of any kind: running, waiting and rejected calls, health checks, pages, unknown paths. To make room for further requests, the gateway aborts responses that their clients do not read. If there are no such responses, further requests get 503 (gRPC: UNAVAILABLE).",
  ),
  requestsPerClient: sharedCount(
    1000,
    "The maximum number of concurrent requests of one client address (IPv6: one /64 network), once half of `requestsInFlight` are running. Until then, a single client may use the whole limit. Further requests get 503 (gRPC: UNAVAILABLE). Behind proxies, set `server.proxies`.",
  ),
  healthWatches: sharedCount(
    1000,
    "The maximum number of concurrent calls to `grpc.health.v1.Health/Watch`. Further calls fail with UNAVAILABLE.",
  ),
  healthWatchesPerClient: sharedCount(
    100,
    "The maximum number of concurrent calls to `grpc.health.v1.Health/Watch` from one client address, once half of `healthWatches` are running. Further calls fail with UNAVAILABLE.",
  ),
  callsInFlight: liveSharedCount(
    4096,
    "The maximum number of concurrent calls, including streams. A call counts from the moment when its request message is complete (for a client stream, its first message) until its upstream has responded. Further calls wait in the queue. If the limit is 16 or more, a sixteenth of it is reserved for unary calls.",
  ),
  queuedCalls: liveSharedCount(
    1024,
    "The maximum number of calls in the queue. A call waits there while `callsInFlight` of the gateway or of the call's upstream is reached. Further calls, and calls that would wait beyond their deadline, fail with UNAVAILABLE. When the queue is full, a call from a client with fewer waiting calls replaces a call of the client with the most waiting calls.",
  ),
  queueTimeoutMs: liveMs(
    1000,
    "How long a call may wait in the queue before it fails with UNAVAILABLE. If a client has no other call, the call may wait longer: for up to twice the usual duration of calls to its upstream.",
  ),
  callsPerClient: liveSharedCount(
    1024,
    "The maximum number of running and waiting calls of one client (an address, or an IPv6 /64 network) to one upstream, while other clients wait for the same upstream. Further calls fail with RESOURCE_EXHAUSTED. When several clients wait, the client with the smallest share is next. Behind proxies, set `server.proxies`; otherwise all clients share the address of the proxy.",
  ),
  watchers: liveSharedCount(
    10_000,
    "The maximum number of concurrent streams that watch a feed. Watch streams do not count toward `callsInFlight` and `requestsInFlight`, because such streams wait for hours and cost little. Further streams fail with UNAVAILABLE, or replace a stream of another client (`watchersPerClient`).",
  ),
  watchersPerClient: liveSharedCount(
    1000,
    "The maximum number of concurrent streams of one client address (IPv6: one /64 network) that watch a feed, once `watchers` is reached. Until then, a single client may hold all of the streams. After that, a further stream of another client replaces the newest stream of the client with the most streams, provided that this client has more streams than this limit or than an equal share. The replaced stream ends with RESOURCE_EXHAUSTED, and can resume later with its resume token. Behind proxies, set `server.proxies`.",
  ),
  eventLoopDelayMs: liveMs(
    500,
    "The delay of the event loop, averaged over a second. A long delay shows that the process is overloaded. Above the limit, a share of calls fails with UNAVAILABLE: half of the calls at twice the limit, and at most nine in ten. Health checks are never rejected.",
  ),
  heapPercent: {
    default: 90,
    unit: "percent",
    max: 100,
    reloads: true,
    effect:
      "The heap in use, as a percentage of its maximum size. Above the limit, a share of calls fails with UNAVAILABLE: half of the calls midway between the limit and 100, and nine in ten at 100. Health checks are never rejected.",
  },
  authorizationRequestsPerMinute: liveSharedCount(
    6000,
    "The maximum number of requests per minute to the endpoints of `authorization`, except for metadata. Further requests get 429.",
  ),
  authorizationRequestsPerClient: liveSharedCount(
    600,
    "The maximum number of requests per minute from one client address (IPv6: one /64 network) to the endpoints of `authorization`, except for metadata. Further requests get 429. Behind proxies, set `server.proxies`.",
  ),
  registrationsPerMinute: liveSharedCount(
    100,
    "The maximum number of attempts per minute by clients to register themselves (`authorization.registration`). Further requests get 429.",
  ),
  registrationsPerClient: liveSharedCount(
    20,
    "The maximum number of attempts per minute to register clients from one client address (IPv6: one /64 network). Further requests get 429.",
  ),
  headersTimeoutMs: ms(
    10_000,
    "How long the headers of a request may take to arrive, from the start of the connection or the first byte of the request. After this time, the connection is closed: over HTTP/1.1 with 408, over HTTP/2 with GOAWAY.",
  ),
  headerBytes: {
    default: 16 * 1024,
    unit: "bytes",
    max: 1024 * 1024,
    effect:
      "The maximum total size of the headers of a request. Over HTTP/2, 32 bytes are added for each header. Larger requests get 431 (gRPC: RESOURCE_EXHAUSTED). Over HTTP/2, a stream with more than 64 KiB of headers is reset. Over HTTP/1.1, the head of a request as sent, including white space and empty lines, may exceed the limit by `urlBytes` plus 128 KiB, because a connection reads that much ahead. An HTTP/2 connection is closed with ENHANCE_YOUR_CALM if its requests repeat compressed headers or trailers (HPACK) so often that they expand to far more than was sent.",
  },
  headerCount: count(
    100,
    "The maximum number of headers of a request. Requests with more headers get 431 (gRPC: RESOURCE_EXHAUSTED).",
  ),
  urlBytes: {
    default: 8 * 1024,
    unit: "bytes",
    max: 1024 * 1024,
    reloads: true,
    effect:
      "The maximum size of the request target, including the query. Larger requests get 414 (gRPC: RESOURCE_EXHAUSTED).",
  },
  bodyIdleTimeoutMs: liveMs(
    10_000,
    "The longest pause within the body of a request with one message (a unary call or a server stream). After a longer pause, the call fails with DEADLINE_EXCEEDED.",
  ),
  readMaxBytes: bytes(
    4 * 1024 * 1024,
    "The maximum size of a request message, before and after decompression. Larger messages fail the call with RESOURCE_EXHAUSTED.",
  ),
  writeMaxBytes: bytes(
    16 * 1024 * 1024,
    "The maximum size of a response message, before compression. Larger messages fail the call with RESOURCE_EXHAUSTED.",
  ),
  messageDepth: {
    default: 100,
    unit: "count",
    max: 1000,
    effect:
      "The maximum nesting depth of a request message. Deeper messages fail the call with INVALID_ARGUMENT.",
  },
  heldRequestBytes: liveSharedBytes(
    256 * 1024 * 1024,
    "The maximum total size in memory of the request messages of all calls, as received. To make room, the gateway fails incomplete requests with UNAVAILABLE: requests of the client that holds the most bytes, starting with the request that has been silent for the longest time. If the new request belongs to that client, the new request fails. Further requests of a client that holds more than half of the limit fail with RESOURCE_EXHAUSTED. Client streams do not count.",
  ),
  heldResponseBytes: liveSharedBytes(
    256 * 1024 * 1024,
    "The maximum total size of the response messages that wait in memory for clients to read them: the whole message of each unary call, and one message of each stream. To make room, the gateway aborts responses to the client that holds the most bytes, starting with the response that has been unread for the longest time. If the new call belongs to that client, the call fails with UNAVAILABLE. If a client holds more than half of the limit, the gateway aborts responses that the client has not read for a second; if there are no such responses, the call fails with RESOURCE_EXHAUSTED. One response to each client is always sent.",
  ),
  queuedDecompressions: sharedCount(
    256,
    "The maximum number of compressed request messages that wait for decompression. Clients take turns. Above the limit, the newest message of the client with the most waiting messages fails with RESOURCE_EXHAUSTED.",
  ),
  messageCost: {
    default: 100_000,
    unit: "count",
    max: GIB,
    effect:
      "The maximum cost of decoding a request message, counted before the message is decoded: 1 for each scalar, and 10 for each message, map entry, JSON object or array, unknown field, and google.protobuf.Value. Messages with a higher cost fail the call with RESOURCE_EXHAUSTED.",
  },
  unaryDeadlineMs: liveMs(
    15_000,
    "The deadline of a unary call whose method has no `timeout`. A shorter timeout from the client takes precedence. When the deadline expires, the call fails with DEADLINE_EXCEEDED, even if its handler continues.",
  ),
  streamDeadlineMs: liveMs(
    60 * 60 * 1000,
    "The deadline of a streaming call whose method has no `timeout`. A shorter timeout from the client takes precedence. When the deadline expires, the call fails with DEADLINE_EXCEEDED.",
  ),
  maxDeadlineMs: liveMs(
    60 * 60 * 1000,
    "The maximum deadline of any call. Longer timeouts from clients, of methods, and in `unaryDeadlineMs` and `streamDeadlineMs` are reduced to this maximum. `check-config` lists methods whose `timeout` is reduced.",
  ),
  idleTimeoutMs: ms(
    60_000,
    "How long a connection may stay open without a request in flight. After this time, the connection is closed, over HTTP/2 with GOAWAY.",
  ),
  stalledWriteMs: liveMs(
    30_000,
    "How long a client may stop reading a response. After this time, its HTTP/2 stream is reset, or its HTTP/1.1 connection is closed. The time is shorter when `requestsInFlight` is nearly reached.",
  ),
  streamsPerConnection: count(
    100,
    "The maximum number of concurrent requests on one connection. Over HTTP/2, further streams are rejected. Over HTTP/1.1, the connection is closed.",
  ),
  resetsPerSecond: {
    default: 50,
    unit: "per second",
    max: 100_000,
    effect:
      "The maximum number of early stream resets per second on one HTTP/2 connection, by either side. A burst of `streamsPerConnection` resets is allowed; after that, a connection that exceeds this rate is closed with ENHANCE_YOUR_CALM. Resets of streams that were open for less than 100 ms are also counted per client: the limits for all connections of a client together are `requestsPerClient` / `streamsPerConnection` times the limits for one connection. Once 50 connections of one client have been closed for this reason, the client may open one new connection per second. Trusted proxies are exempt from both rules. Resets do not count if the stream was open for a second or longer, or reached the deadline that its client set.",
  },
  drainNoticeMs: {
    default: 5000,
    unit: "ms",
    min: 0,
    max: DAY,
    reloads: true,
    effect:
      "How long the gateway still accepts connections and requests after SIGTERM. During this time, readiness fails and clients are asked to reconnect elsewhere, so that load balancers notice the shutdown. Then the gateway stops listening and closes idle connections. SIGINT skips this wait. Default if `server.host` is a loopback address: 0.",
  },
  drainStreamsMs: liveMs(
    5_000,
    "How long streaming calls may continue after `drainNoticeMs` during a shutdown. Then they end with UNAVAILABLE.",
  ),
  drainGraceMs: liveMs(
    20_000,
    "How long a whole shutdown may take, counted from the signal and including `drainNoticeMs`. Then the connections of the remaining calls are closed.",
  ),
} as const satisfies Readonly<Record<string, LimitEntry>>;

export type LimitName = keyof typeof LIMIT_TABLE;

/** A value for every limit. */
export type Limits = Readonly<Record<LimitName, number>>;

/** Some of the limits; all other limits keep their defaults. */
export type LimitOptions = { readonly [K in LimitName]?: number | undefined };

/** Receives the name of each limit that is exceeded. */
export type OnLimit = (limit: LimitName) => void;

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES = Object.keys(LIMIT_TABLE) as readonly LimitName[];

/** The defaults on a loopback address, where no load balancer has to notice a shutdown. */
const ON_LOOPBACK: LimitOptions = { drainNoticeMs: 0 };

/** Fills in the defaults, some of which differ on loopback. */
export function withDefaultLimits(given: LimitOptions = {}, onLoopback = false): Limits {
  const here = onLoopback ? ON_LOOPBACK : {};
  const entries = LIMIT_NAMES.map(
    (name) => [name, given[name] ?? here[name] ?? LIMIT_TABLE[name].default] as const,
  );
  return Object.fromEntries(entries) as Record<LimitName, number>;
}

/** Returns whether a new value of a limit applies on reload. */
export function isReloaded(name: LimitName): boolean {
  const { reloads = false }: LimitEntry = LIMIT_TABLE[name];
  return reloads;
}

/** Returns whether a limit applies to all workers together. */
export function isShared(name: LimitName): boolean {
  const { shared = false }: LimitEntry = LIMIT_TABLE[name];
  return shared;
}

/** Limits that can change at run time. */
export class LiveLimits {
  /**
   * The current limits. Read each limit when it is needed, because a copied value does not change on reload.
   */
  readonly current: Limits;
  private readonly values: Record<LimitName, number>;

  constructor(limits: Limits) {
    this.values = { ...limits };
    this.current = this.values;
  }

  /** Applies the limits that can change at run time. */
  reload(limits: Limits): void {
    for (const name of LIMIT_NAMES) if (isReloaded(name)) this.values[name] = limits[name];
  }
}
