/** One limit of the gateway, as described in the configuration reference. */
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

/** Every limit of the gateway. All are finite, and the configuration can change each in `server.limits`. */
export const LIMIT_TABLE = {
  connections: sharedCount(
    10_000,
    "Open connections, at most five eighths of the files that the process may open (Linux: `ulimit -n`). Further connections are closed immediately, and so are those that leave less than a quarter of these files, which are for connections to upstreams.",
  ),
  connectionsPerClient: sharedCount(
    1000,
    "Open connections of one client address (IPv6: of one /64 network) once half of `connections` are open; until then one client may have them all. Where there are files for less than `connections`, it is at most half of those. Further connections are closed immediately. Trusted proxies are exempt.",
  ),
  requestsInFlight: sharedCount(
    12_000,
    "Concurrent requests of any kind: calls that run or wait, rejected calls, health checks, pages, unknown paths. When there are more, responses that their clients do not read are cut off to make room; if there are none, further requests get 503, by gRPC UNAVAILABLE.",
  ),
  requestsPerClient: sharedCount(
    1000,
    "Concurrent requests of one client address (IPv6: of one /64 network) once half of `requestsInFlight` are running; until then one client may have them all. Further requests get 503, by gRPC UNAVAILABLE. Behind proxies, set `server.proxies`.",
  ),
  healthWatches: sharedCount(
    1000,
    "Concurrent calls of `grpc.health.v1.Health/Watch`. Further calls fail with UNAVAILABLE.",
  ),
  healthWatchesPerClient: sharedCount(
    100,
    "Concurrent calls of `grpc.health.v1.Health/Watch` of one client address once half of `healthWatches` are running. Further calls fail with UNAVAILABLE.",
  ),
  callsInFlight: liveSharedCount(
    4096,
    "Concurrent calls, including streams. A call counts from when its request message is complete (of a stream of the client, its first message) until its upstream has responded. Further calls wait in the queue. All streams leave a sixteenth, of 16 or more, to unary calls.",
  ),
  queuedCalls: liveSharedCount(
    1024,
    "Calls that wait in the queue while `callsInFlight` others run, of the gateway or of their upstream. Further calls, and calls that would wait beyond their deadline, fail with UNAVAILABLE; a client that has fewer calls waiting takes the place of one of the client that has the most.",
  ),
  queueTimeoutMs: liveMs(
    1000,
    "How long a call may wait in the queue before it fails with UNAVAILABLE. The only call of a client may wait twice as long as calls of its upstream usually take, if that is longer.",
  ),
  callsPerClient: liveSharedCount(
    1024,
    "Calls of one client (an address, or a network of IPv6 of 64 bits) that run at one upstream or wait, while other clients wait for the same: further calls fail with RESOURCE_EXHAUSTED. Of what becomes free while several wait, the client with the smallest share is next. Behind proxies, set `server.proxies`, or all clients share the address of the proxy.",
  ),
  watchers: liveSharedCount(
    10_000,
    "Concurrent streams that watch a feed, which are no part of `callsInFlight` and `requestsInFlight`: they wait for hours, and cost little. Further ones fail with UNAVAILABLE, or take the place of another client's (`watchersPerClient`).",
  ),
  watchersPerClient: liveSharedCount(
    1000,
    "Concurrent streams of one client address (IPv6: of one /64 network) that watch a feed, once all `watchers` are taken; until then one client may have them all. Then another client takes the place of the newest stream of the client that has the most, if that has more than this or than an equal part: the stream ends with RESOURCE_EXHAUSTED, and can go on later with its resume token. Behind proxies, set `server.proxies`.",
  ),
  eventLoopDelayMs: liveMs(
    500,
    "Delay of the event loop, averaged over a second: a sign of an overloaded process. Beyond it, calls fail with UNAVAILABLE in proportion: half of them at twice the limit, at most nine in ten. Health checks never do.",
  ),
  heapPercent: {
    default: 90,
    unit: "percent",
    max: 100,
    reloads: true,
    effect:
      "Heap in use, relative to its maximum size. Beyond it, calls fail with UNAVAILABLE in proportion: half of them midway to 100, nine in ten at 100. Health checks never do.",
  },
  authorizationRequestsPerMinute: liveSharedCount(
    6000,
    "Requests to the endpoints of `authorization` in a minute, but for metadata. Further requests get 429.",
  ),
  authorizationRequestsPerClient: liveSharedCount(
    600,
    "The same of one client address (IPv6: of one /64 network). Behind proxies, set `server.proxies`.",
  ),
  registrationsPerMinute: liveSharedCount(
    100,
    "Clients that try to register themselves in a minute (`authorization.registration`). Further requests get 429.",
  ),
  registrationsPerClient: liveSharedCount(20, "The same of one client address (IPv6: of one /64 network)."),
  headersTimeoutMs: ms(
    10_000,
    "Time to receive the headers of a request, from the start of the connection or the first byte of the request. Beyond it, the connection is closed, by HTTP/1.1 with 408, by HTTP/2 with GOAWAY.",
  ),
  headerBytes: {
    default: 16 * 1024,
    unit: "bytes",
    max: 1024 * 1024,
    effect:
      "Total size of the headers of a request, over HTTP/2 with 32 bytes more for each. Larger requests get 431, by gRPC RESOURCE_EXHAUSTED; beyond 64 KiB over HTTP/2 their stream is reset. Over HTTP/1.1 the head of a request as it was sent, with spaces and empty lines, may have `urlBytes` and 128 KiB more, which is what a connection reads ahead. A connection of HTTP/2 whose requests name the same headers or trailers again and again (HPACK), for much more than it sends, is closed with ENHANCE_YOUR_CALM.",
  },
  headerCount: count(
    100,
    "Number of headers of a request. Requests with more get 431, by gRPC RESOURCE_EXHAUSTED.",
  ),
  urlBytes: {
    default: 8 * 1024,
    unit: "bytes",
    max: 1024 * 1024,
    reloads: true,
    effect:
      "Size of the request target, including the query. Larger requests get 414, by gRPC RESOURCE_EXHAUSTED.",
  },
  bodyIdleTimeoutMs: liveMs(
    10_000,
    "Pause between two chunks of a request body, for calls with a single request message. After a longer pause, the call fails with DEADLINE_EXCEEDED.",
  ),
  readMaxBytes: bytes(
    4 * 1024 * 1024,
    "Size of a request message, before and after decompression. Larger messages fail the call with RESOURCE_EXHAUSTED.",
  ),
  writeMaxBytes: bytes(
    16 * 1024 * 1024,
    "Size of a response message, before compression. Larger messages fail the call with RESOURCE_EXHAUSTED.",
  ),
  messageDepth: {
    default: 100,
    unit: "count",
    max: 1000,
    effect: "Nesting depth of a request message. Deeper messages fail the call with INVALID_ARGUMENT.",
  },
  heldRequestBytes: liveSharedBytes(
    256 * 1024 * 1024,
    "Bytes of request messages that calls hold in memory at once, as they came. To make room, requests that have not arrived yet fail with UNAVAILABLE, of the client that holds most, the longest silent ones first; if that would be the caller itself, its own does. Beyond half of it, those of the client that holds so much fail with RESOURCE_EXHAUSTED. Streams that clients send are not counted.",
  ),
  heldResponseBytes: liveSharedBytes(
    256 * 1024 * 1024,
    "Bytes of response messages that wait in memory for clients to read them: whole ones of unary calls, one at a time of each stream. To make room, responses are cut of the client that has most, those first that it has not read for the longest time; if that would be the caller itself, the call fails with UNAVAILABLE. Beyond half of it, responses that the client has not read for a second are cut; if there are none, the call fails with RESOURCE_EXHAUSTED. One response of a client is always sent.",
  ),
  queuedDecompressions: sharedCount(
    256,
    "Compressed request messages that wait to be decompressed, which clients do in turns. Beyond it, the newest of the client with most of them fails with RESOURCE_EXHAUSTED.",
  ),
  messageCost: {
    default: 100_000,
    unit: "count",
    max: GIB,
    effect:
      "What decoding a request message may cost, counted before it is decoded: 1 for each scalar, 10 for each message, map entry, JSON object or array, unknown field, and value of a google.protobuf.Value. Costlier messages fail the call with RESOURCE_EXHAUSTED.",
  },
  unaryDeadlineMs: liveMs(
    15_000,
    "Deadline of a unary call whose method has no `timeout`. A shorter timeout of the client has precedence. When it expires, the call fails with DEADLINE_EXCEEDED, whatever its handler does.",
  ),
  streamDeadlineMs: liveMs(
    60 * 60 * 1000,
    "Deadline of a streaming call whose method has no `timeout`. A shorter timeout of the client has precedence. When it expires, the call fails with DEADLINE_EXCEEDED.",
  ),
  maxDeadlineMs: liveMs(
    60 * 60 * 1000,
    "The longest deadline of any call: longer ones of clients, of methods and of the two settings above are cut to it. `check-config` names the methods whose own `timeout` is cut.",
  ),
  idleTimeoutMs: ms(
    60_000,
    "How long a connection may stay open without a request in flight. Then it is closed, by HTTP/2 with GOAWAY.",
  ),
  stalledWriteMs: liveMs(
    30_000,
    "How long a client may stop reading a response, whatever it is the response to. Then its stream is reset, or its connection closed. In a crowd (`requestsInFlight`) the time is shorter.",
  ),
  streamsPerConnection: count(
    100,
    "Concurrent requests on one connection. HTTP/2 rejects further streams; HTTP/1.1 closes the connection.",
  ),
  resetsPerSecond: {
    default: 50,
    unit: "per second",
    max: 100_000,
    effect:
      "Early stream resets on one HTTP/2 connection, by either side. Beyond it, and beyond a burst of `streamsPerConnection`, the connection is closed with ENHANCE_YOUR_CALM. Of streams that were open for less than 100 ms, the connections of one client together may have the resets of `requestsPerClient` / `streamsPerConnection` connections. After 50 connections of one client were closed so, its new ones but for one a second are closed as well. Trusted proxies are exempt from both. Streams that were open for a second, or have reached the deadline that their client set, may end as they like.",
  },
  drainNoticeMs: {
    default: 5000,
    unit: "ms",
    min: 0,
    max: DAY,
    reloads: true,
    effect:
      "While draining after SIGTERM: how long the gateway still accepts connections and requests, failing readiness and telling clients to reconnect elsewhere, so that load balancers can notice. Then it stops listening and closes idle connections. SIGINT skips it. Default if `server.host` is a loopback address: 0.",
  },
  drainStreamsMs: liveMs(
    5_000,
    "While draining: how long streaming calls may continue after the notice before they end with UNAVAILABLE.",
  ),
  drainGraceMs: liveMs(
    20_000,
    "While draining: how long everything may take, from the signal on and with the notice, before the connections of calls in flight are closed.",
  ),
} as const satisfies Readonly<Record<string, LimitEntry>>;

export type LimitName = keyof typeof LIMIT_TABLE;

/** A value for every limit. */
export type Limits = Readonly<Record<LimitName, number>>;

/** Some limits; the others keep their defaults. */
export type LimitOptions = { readonly [K in LimitName]?: number | undefined };

/** Receives the name of each limit that is exceeded. */
export type OnLimit = (limit: LimitName) => void;

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES = Object.keys(LIMIT_TABLE) as readonly LimitName[];

/** Default limits on a loopback address, where no load balancer has to notice a shutdown. */
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
