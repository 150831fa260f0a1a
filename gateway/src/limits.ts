/** One limit of the gateway: what the configuration reference says about it. */
export interface LimitEntry {
  /** Used when the configuration is silent. */
  readonly default: number;
  readonly unit: "ms" | "bytes" | "count" | "per second" | "percent";
  /** The largest value that the configuration may name. */
  readonly max: number;
  /** What is limited, and what happens beyond it. */
  readonly effect: string;
}

const DAY = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/**
 * Every limit of the gateway. All are finite; the configuration may change each below `server.limits`.
 */
export const LIMIT_TABLE = {
  connections: {
    default: 10_000,
    unit: "count",
    max: 1_000_000,
    effect: "Open connections. A further one is closed at once.",
  },
  callsInFlight: {
    default: 4096,
    unit: "count",
    max: 1_000_000,
    effect: "Calls running at the same time, streams included. A further one waits in the queue.",
  },
  queuedCalls: {
    default: 1024,
    unit: "count",
    max: 1_000_000,
    effect:
      "Calls that wait for one of `callsInFlight` to end. A further one, and one that would wait beyond its deadline, fails with UNAVAILABLE.",
  },
  queueTimeoutMs: {
    default: 1000,
    unit: "ms",
    max: DAY,
    effect: "How long a call may wait in the queue. Beyond it: UNAVAILABLE.",
  },
  callsPerClient: {
    default: 1024,
    unit: "count",
    max: 1_000_000,
    effect:
      "Calls of one client address, running and waiting. A further one fails with RESOURCE_EXHAUSTED. Behind proxies, name them in `server.proxies`.",
  },
  eventLoopDelayMs: {
    default: 500,
    unit: "ms",
    max: DAY,
    effect:
      "By how much the event loop is late, on average over a second. Beyond it calls fail with UNAVAILABLE; health is still answered.",
  },
  heapPercent: {
    default: 90,
    unit: "percent",
    max: 100,
    effect:
      "Heap in use, of what the process may have. Beyond it calls fail with UNAVAILABLE; health is still answered.",
  },
  headersTimeoutMs: {
    default: 10_000,
    unit: "ms",
    max: DAY,
    effect:
      "From a connection's first moment, or a request's first byte, to the end of its headers. HTTP/1.1 answers 408, HTTP/2 says GOAWAY; the connection is closed.",
  },
  headerBytes: {
    default: 16 * 1024,
    unit: "bytes",
    max: 1024 * 1024,
    effect: "All headers of a request together. Beyond it: 431, or a reset stream.",
  },
  headerCount: {
    default: 100,
    unit: "count",
    max: 10_000,
    effect: "Headers of a request. Beyond it: 431, or a reset stream.",
  },
  urlBytes: {
    default: 8 * 1024,
    unit: "bytes",
    max: 1024 * 1024,
    effect: "The request target, query included. Beyond it: 414.",
  },
  bodyIdleTimeoutMs: {
    default: 10_000,
    unit: "ms",
    max: DAY,
    effect:
      "Silence inside the request of a call with a single request message. The call fails with DEADLINE_EXCEEDED.",
  },
  readMaxBytes: {
    default: 4 * 1024 * 1024,
    unit: "bytes",
    max: GIB,
    effect: "One request message, before and after decompression. Beyond it: RESOURCE_EXHAUSTED.",
  },
  writeMaxBytes: {
    default: 16 * 1024 * 1024,
    unit: "bytes",
    max: GIB,
    effect: "One response message before compression. Beyond it: RESOURCE_EXHAUSTED.",
  },
  messageDepth: {
    default: 100,
    unit: "count",
    max: 1000,
    effect: "Nesting of a request message. Beyond it: INVALID_ARGUMENT for JSON, INTERNAL for binary.",
  },
  unaryDeadlineMs: {
    default: 15_000,
    unit: "ms",
    max: DAY,
    effect:
      "A unary call, unless the client or the method asks for less. Beyond it: DEADLINE_EXCEEDED, whatever the handler does.",
  },
  streamDeadlineMs: {
    default: 60 * 60 * 1000,
    unit: "ms",
    max: DAY,
    effect: "A streaming call, unless the client or the method asks for less. Beyond it: DEADLINE_EXCEEDED.",
  },
  idleTimeoutMs: {
    default: 60_000,
    unit: "ms",
    max: DAY,
    effect: "A connection without a request in flight. It is closed (HTTP/2: after GOAWAY).",
  },
  stalledWriteMs: {
    default: 30_000,
    unit: "ms",
    max: DAY,
    effect: "A client that does not read its answer. Its stream is reset, or its connection closed.",
  },
  streamsPerConnection: {
    default: 100,
    unit: "count",
    max: 10_000,
    effect:
      "Requests in flight on one connection. HTTP/2 refuses the stream; HTTP/1.1 closes the connection.",
  },
  resetsPerSecond: {
    default: 50,
    unit: "per second",
    max: 100_000,
    effect:
      "Streams of one HTTP/2 connection that end in a reset, by either side. The connection is closed with ENHANCE_YOUR_CALM.",
  },
  drainNoticeMs: {
    default: 300,
    unit: "ms",
    max: DAY,
    effect:
      "While draining: how long requests and connections are still taken, each answered with `connection: close`, so that load balancers can notice. Then the gateway stops listening and closes idle connections.",
  },
  drainStreamsMs: {
    default: 5_000,
    unit: "ms",
    max: DAY,
    effect: "While draining: how long streaming calls may go on before they end with UNAVAILABLE.",
  },
  drainGraceMs: {
    default: 20_000,
    unit: "ms",
    max: DAY,
    effect: "While draining: how long calls in flight may take before their connections are closed.",
  },
} as const satisfies Readonly<Record<string, LimitEntry>>;

export type LimitName = keyof typeof LIMIT_TABLE;

/** A value for every limit. */
export type Limits = Readonly<Record<LimitName, number>>;

/** Some limits; the others keep their defaults. */
export type LimitOptions = { readonly [K in LimitName]?: number | undefined };

/** Told of what a limit keeps out. */
export type OnLimit = (limit: LimitName) => void;

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES = Object.keys(LIMIT_TABLE) as readonly LimitName[];

/** Fills in the defaults. */
export function withDefaultLimits(given: LimitOptions = {}): Limits {
  const entries = LIMIT_NAMES.map((name) => [name, given[name] ?? LIMIT_TABLE[name].default] as const);
  return Object.fromEntries(entries) as Record<LimitName, number>;
}
