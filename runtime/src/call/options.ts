import type { DescFile, DescMethod } from "@bufbuild/protobuf";
import type { ConnectError, Interceptor } from "@connectrpc/connect";
import type { Clock, Difference, DifferenceCounts, DifferenceLevels } from "connect-rest-codec/internal";
import type { ServiceAdapter } from "../adapter/adapter.ts";
import type { BreakerReport } from "../breaker/breaker.ts";
import type { Network } from "../upstream/hop-pools.ts";
import type { UpstreamOptions } from "../upstream/options.ts";
import type { ClientOptions } from "../upstream/supplied-client.ts";
import type { WatchOptions } from "./watch-options.ts";

/** How one response differs from its description; of a stream, one of its pages or records. */
export interface DifferenceReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** At least one, and the first hundred of each class at most. */
  readonly differences: readonly Difference[];
  /** How many there are of each class. Classes that are ignored count 0. */
  readonly counts: DifferenceCounts;
}

/** What is done about each class of difference; by default all are reported, and none fails a call. */
export type DifferenceOptions = DifferenceLevels & {
  /**
   * By method: `package.Service/Method`, `package.Service`, or the beginning of either and `*`. The longest
   * that names a method counts, then its upstream's `differences`. A name that no adapter has is an error.
   */
  readonly methods?: Readonly<Record<string, DifferenceLevels>> | undefined;
};

/** One call, when it is over. */
export interface CallReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** The HTTP method; undefined when the request could not be built. */
  readonly verb: string | undefined;
  /** The HTTP status; undefined when there was no response. */
  readonly upstreamStatus: number | undefined;
  /** Requests to the upstream: one for each page or poll, and those that were sent again. */
  readonly attempts: number;
  readonly durationMs: number;
  /** Size of the response's body in bytes, decompressed. */
  readonly bytes: number;
  /** Headers that callers would get, but that cannot be sent, because they are too long or not ASCII. */
  readonly droppedHeaders: number;
  /** How many places of the response were not as declared, by class. Classes that are ignored count 0. */
  readonly differences: DifferenceCounts;
  /** What the call ended with; undefined when it succeeded. */
  readonly error: ConnectError | undefined;
}

/**
 * One request to an upstream. A call makes several where its response comes in pages, or is asked for again.
 */
export interface RequestReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** The HTTP method. */
  readonly verb: string;
  /** Scheme, host and port, e.g. `https://api.example.com`; after a redirect those that it leads to. */
  readonly origin: string;
  /** Whether the same request was sent before, and is sent again; further pages are requests of their own. */
  readonly isRetry: boolean;
}

/** What goes along with one request to an upstream. */
export interface RequestObserver {
  /** Headers beside those of the request, which win, e.g. a trace context. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Sends the request: it calls the function once and returns its result, e.g. within a context of its own.
   * What it throws fails the call.
   */
  readonly run?: (<T>(send: () => T) => T) | undefined;
  /** Is told of the response's HTTP status, or of the error in its place. What it throws is a warning. */
  readonly onEnd?: ((end: RequestEnd) => void) | undefined;
}

/** How one request to an upstream ended. */
export interface RequestEnd {
  /** The HTTP status; undefined when there was no response. */
  readonly status: number | undefined;
  /** Why there was none. */
  readonly error: unknown;
}

/**
 * What is called, and how. A listener that throws, or whose promise is rejected, changes nothing of a call:
 * the first time, it is a warning of the process (`process.on("warning")`, code `LISTENER_FAILED`).
 * A `dispatcher` or a `fetch` is for all upstreams that have none of their own.
 */
export interface RestOptions extends ClientOptions {
  /** The generated adapters of the services to call. */
  readonly adapters: readonly ServiceAdapter[];
  /** The upstreams that they name. */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /**
   * Files with further types that a google.protobuf.Any or a detail of an error may have, with all that they
   * import. Those of the adapters, of google.rpc and the well-known types are known anyway.
   */
  readonly types?: readonly DescFile[] | undefined;
  /**
   * What is done about each class of difference between a response and its description. A class that is to
   * `fail` is an error: INTERNAL, reason RESPONSE_DRIFT. Default: `log` for all,
   * which is a report to `onDifference`.
   */
  readonly differences?: DifferenceOptions | undefined;
  /**
   * Short for `differences: { lost: "fail" }`; with another `lost` there it is an error. What
   * `differences.methods` and upstreams say of `lost` are exceptions. Default: false.
   */
  readonly strict?: boolean | undefined;
  /**
   * The deadline of methods that have none of their own, in milliseconds. The shortest of it, the caller's
   * and `maxTimeoutMs` counts. It does not apply to streams without an end of their own, which poll or read
   * records. Default: 60 000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest deadline of any call, in milliseconds, also where a method has a longer one. Default: none.
   */
  readonly maxTimeoutMs?: number | undefined;
  /**
   * Whether usual responses are read by a scanner in WebAssembly, which takes a fraction of the time and
   * makes the same of them. Where WebAssembly is not allowed, JavaScript reads all responses in any case.
   * Default: true.
   */
  readonly scanner?: boolean | undefined;
  /** Interceptors of the transport, as other Connect transports have them. */
  readonly interceptors?: Interceptor[] | undefined;
  /**
   * Is told of every response that is not as declared, but for classes that are ignored.
   * What it throws is a warning.
   */
  readonly onDifference?: ((report: DifferenceReport) => void) | undefined;
  /** Is told of every request to an upstream before it is sent. What it throws is a warning. */
  readonly onRequest?: ((report: RequestReport) => RequestObserver | undefined) | undefined;
  /**
   * Is told exactly once of every call, when it is over: also of one that was rejected before it began, and of
   * a stream that its caller left. What it throws is a warning.
   */
  readonly onCall?: ((report: CallReport) => void) | undefined;
  /** Is told when an upstream begins or ceases to be left alone. What it throws is a warning. */
  readonly onBreaker?: ((report: BreakerReport) => void) | undefined;
  /**
   * Names whom the current request is made for, where there are several callers, e.g. clients of a server:
   * failures then open the circuit of their caller, and only an upstream that cannot be reached opens that of
   * all. Is called within the call that makes the request; callers without a name, and those for whom it
   * throws, count as one. Default: there is one caller, and every failure opens the circuit.
   */
  readonly callerOf?: (() => string | undefined) | undefined;
  /** How feeds are watched. */
  readonly watch?: WatchOptions | undefined;
  /** For tests. Default: the real clock. */
  readonly clock?: Clock | undefined;
  /** For tests. Default: the real network. */
  readonly network?: Network | undefined;
}

/** The deadline of a call that comes without one. */
export const DEFAULT_TIMEOUT_MS = 60_000;
