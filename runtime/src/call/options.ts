import type { DescFile, DescMethod } from "@bufbuild/protobuf";
import type { ConnectError, Interceptor } from "@connectrpc/connect";
import type { Clock, Difference, DifferenceCounts, DifferenceLevels } from "connect-rest-codec/internal";
import type { AnyMethodAdapter, ServiceAdapter } from "../adapter/adapter.ts";
import type { BreakerReport } from "../breaker/breaker.ts";
import type { RequestTrace } from "../explain/call-trace.ts";
import type { Secret } from "../text/secret.ts";
import type { Network } from "../upstream/hop-pools.ts";
import type { UpstreamOptions } from "../upstream/options.ts";
import type { ClientOptions } from "../upstream/supplied-client.ts";
import type { WatchOptions } from "./watch-options.ts";

/**
 * The differences between one response and its description. A stream has one report for each page or record.
 */
export interface DifferenceReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** The differences: at least one, and at most the first hundred of each class. */
  readonly differences: readonly Difference[];
  /** The number of differences in each class. Ignored classes are not counted. */
  readonly counts: DifferenceCounts;
}

/**
 * The level for each class of difference. By default all differences are reported, and no difference fails a
 * call.
 */
export type DifferenceOptions = DifferenceLevels & {
  /**
   * Levels by method: `package.Service/Method`, `package.Service`, or a prefix of either followed by `*`. The
   * longest match takes precedence, then the `differences` of the method's upstream. A name that matches no
   * adapter is an error.
   */
  readonly methods?: Readonly<Record<string, DifferenceLevels>> | undefined;
};

/** The report of a call, made when the call ends. */
export interface CallReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** The HTTP method. Undefined if the request could not be built. */
  readonly verb: string | undefined;
  /** The HTTP status. Undefined if there was no response. */
  readonly upstreamStatus: number | undefined;
  /** The number of requests to the upstream, including page requests, polls and retries. */
  readonly attempts: number;
  readonly durationMs: number;
  /** The size of the response body in bytes, decompressed. */
  readonly bytes: number;
  /** The number of headers that callers cannot receive because they are too long or not ASCII. */
  readonly droppedHeaders: number;
  /** The number of differences in the response, by class. Ignored classes are not counted. */
  readonly differences: DifferenceCounts;
  /** The error that ended the call. Undefined if the call succeeded. */
  readonly error: ConnectError | undefined;
}

/**
 * One request to an upstream. A call makes several requests if its response has several pages, or if it is
 * retried.
 */
export interface RequestReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** The HTTP method. */
  readonly verb: string;
  /**
   * The scheme, host and port of the target, e.g. `https://api.example.com`. After a redirect, this is the
   * redirect target.
   */
  readonly origin: string;
  /** Whether the request repeats an earlier request. Requests for further pages are not repetitions. */
  readonly isRetry: boolean;
}

/** Callbacks for one request to an upstream. */
export interface RequestObserver {
  /**
   * Additional headers, e.g. a trace context, with names in lower case. Headers of the request take
   * precedence.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Sends the request: calls the given function once and returns its result, e.g. within an async context. An
   * exception fails the call.
   */
  readonly run?: (<T>(send: () => T) => T) | undefined;
  /** Called with the HTTP status of the response, or with the error. An exception becomes a warning. */
  readonly onEnd?: ((end: RequestEnd) => void) | undefined;
}

/** The end of one request to an upstream. */
export interface RequestEnd {
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;
  /** The error if there was no response. */
  readonly error: unknown;
}

/**
 * The adapters, the upstreams, and the options of calls. A listener that throws, or whose promise is
 * rejected, does not affect a call: the first time, the process emits a warning (`process.on("warning")`,
 * code `LISTENER_FAILED`). A `dispatcher` or a `fetch` applies to all upstreams that do not set their own.
 */
export interface RestOptions extends ClientOptions {
  /** The generated adapters of the services to call. */
  readonly adapters: readonly ServiceAdapter[];
  /** The upstreams that the adapters name. */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /**
   * Files with additional types for google.protobuf.Any and error details, including all their imports. The
   * types of the adapters, google.rpc and the well-known types are always included.
   */
  readonly types?: readonly DescFile[] | undefined;
  /**
   * The level for each class of difference between a response and its description. A difference with level
   * `fail` causes an INTERNAL error with reason RESPONSE_DRIFT. Default: `log` for all classes, which reports
   * differences to `onDifference`.
   */
  readonly differences?: DifferenceOptions | undefined;
  /**
   * Short for `differences: { lost: "fail" }`. Setting another level for `lost` in `differences` is an error.
   * The `lost` levels of `differences.methods` and of upstreams take precedence. Default: false.
   */
  readonly strict?: boolean | undefined;
  /**
   * The deadline of methods that do not set their own, in milliseconds. The shortest of this deadline, the
   * caller's deadline and `maxTimeoutMs` applies. This default does not apply to streams without a natural
   * end, which poll or read records. Default: 60 000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest deadline of any call, in milliseconds, even if a method sets a longer one. Default: no limit.
   */
  readonly maxTimeoutMs?: number | undefined;
  /**
   * Whether a WebAssembly scanner reads typical responses, with the same results in a fraction of the time.
   * Where WebAssembly is not allowed, JavaScript reads all responses. Default: true.
   */
  readonly scanner?: boolean | undefined;
  /** Interceptors of the transport, as in other Connect transports. */
  readonly interceptors?: Interceptor[] | undefined;
  /**
   * Called for every response that differs from its declaration, except for ignored classes. An exception
   * becomes a warning.
   */
  readonly onDifference?: ((report: DifferenceReport) => void) | undefined;
  /** Called before every request to an upstream. An exception becomes a warning. */
  readonly onRequest?: ((report: RequestReport) => RequestObserver | undefined) | undefined;
  /**
   * Called exactly once for every call when it ends. This includes calls that are rejected before they begin,
   * and streams that their caller leaves early. An exception becomes a warning.
   */
  readonly onCall?: ((report: CallReport) => void) | undefined;
  /** Called when the circuit of an upstream opens or closes. An exception becomes a warning. */
  readonly onBreaker?: ((report: BreakerReport) => void) | undefined;
  /**
   * Returns the name of the caller for whom the current request is made. Needed if there are several callers,
   * e.g. clients of a server. The failures of a caller then open the circuit for that caller only, and only
   * an unreachable upstream opens the circuit for all callers. The function is called within the call that
   * makes the request. Callers without a name, and callers for whom the function throws, count as one caller.
   * Default: there is one caller, and every failure counts for the circuit.
   */
  readonly callerOf?: (() => string | undefined) | undefined;
  /**
   * Records exchanges with upstreams in HAR files: the result of `openRecorder` of
   * `connect-rest-runtime/recordings`. Default: nothing is recorded.
   */
  readonly recorder?: Recorder | undefined;
  /** Options for watching feeds. */
  readonly watch?: WatchOptions | undefined;
  /** For tests. Default: the real clock. */
  readonly clock?: Clock | undefined;
  /** For tests. Default: the real network. */
  readonly network?: Network | undefined;
}

/** A call whose requests may be recorded. */
export interface RecordableCall {
  readonly adapter: AnyMethodAdapter;
  readonly clock: Clock;
  /** Returns the values that a recording must not contain. */
  secrets(): readonly Secret[];
  /** Runs code that uses the call's message types. */
  knowing<T>(act: () => T): T;
}

/** Records exchanges with upstreams. */
export interface Recorder {
  /** Returns the object that observes the requests of a call. Undefined for a call that is not recorded. */
  start(call: RecordableCall): RequestTrace | undefined;
  /** Writes the waiting exchanges, and closes the file. */
  close?(): Promise<void>;
}

/** The default deadline of a call. */
export const DEFAULT_TIMEOUT_MS = 60_000;
