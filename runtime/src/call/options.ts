import type { DescFile, DescMethod } from "@bufbuild/protobuf";
import type { ConnectError, Interceptor } from "@connectrpc/connect";
import type { ServiceAdapter } from "../adapter/adapter.ts";
import type { BreakerReport } from "../breaker/breaker.ts";
import type { Drift } from "../decode/drift.ts";
import type { Clock } from "../time/clock.ts";
import type { Network } from "../upstream/hop-pools.ts";
import type { UpstreamOptions } from "../upstream/options.ts";

/** Drift in one response. */
export interface DriftReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** At least one, at most about a hundred. */
  readonly drifts: readonly Drift[];
}

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
  /** How many places of the response were not as declared. */
  readonly drifts: number;
  /** What the call ended with; undefined when it succeeded. */
  readonly error: ConnectError | undefined;
}

/** One request to an upstream. A call makes several where its response comes in pages, or is asked for again. */
export interface RequestReport {
  readonly method: DescMethod;
  readonly upstream: string;
  /** The HTTP method. */
  readonly verb: string;
}

/** What goes along with one request to an upstream. */
export interface RequestObserver {
  /** Headers beside those of the request, which win, e.g. a trace context. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Is told of the response's HTTP status, or of the error in its place. What it throws is ignored. */
  readonly onEnd?: ((end: RequestEnd) => void) | undefined;
}

/** How one request to an upstream ended. */
export interface RequestEnd {
  /** The HTTP status; undefined when there was no response. */
  readonly status: number | undefined;
  /** Why there was none. */
  readonly error: unknown;
}

/** What is called, and how. */
export interface RestOptions {
  /** The generated adapters of the services to call. */
  readonly adapters: readonly ServiceAdapter[];
  /** The upstreams that they name. */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /**
   * Files with further types that a google.protobuf.Any or a detail of an error may have, with all that they import.
   * Those of the adapters, of google.rpc and the well-known types are known anyway.
   */
  readonly types?: readonly DescFile[] | undefined;
  /** Responses that are not as declared are errors: INTERNAL, reason RESPONSE_DRIFT. Default: false. */
  readonly strict?: boolean | undefined;
  /**
   * The deadline of methods that have none of their own, in milliseconds. The shortest of it, the caller's and
   * `maxTimeoutMs` counts. It does not apply to streams without an end of their own, which poll or read records.
   * Default: 60 000.
   */
  readonly timeoutMs?: number | undefined;
  /** The longest deadline of any call, in milliseconds, also where a method has a longer one. Default: none. */
  readonly maxTimeoutMs?: number | undefined;
  /** Interceptors of the transport, as other Connect transports have them. */
  readonly interceptors?: Interceptor[] | undefined;
  /** Is told of every response that is not as declared. What it throws is ignored. */
  readonly onDrift?: ((report: DriftReport) => void) | undefined;
  /** Is told of every request to an upstream before it is sent. What it throws is ignored. */
  readonly onRequest?: ((report: RequestReport) => RequestObserver | undefined) | undefined;
  /**
   * Is told exactly once of every call, when it is over: also of one that was refused before it began, and of a stream
   * that its caller left. What it throws is ignored.
   */
  readonly onCall?: ((report: CallReport) => void) | undefined;
  /** Is told when an upstream begins or ceases to be left alone. What it throws is ignored. */
  readonly onBreaker?: ((report: BreakerReport) => void) | undefined;
  /** For tests. Default: the real clock. */
  readonly clock?: Clock | undefined;
  /** For tests. Default: the real network. */
  readonly network?: Network | undefined;
}

/** The deadline of a call that comes without one. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** Calls a listener; one that fails must not fail the call. */
export function notify<T>(listener: ((report: T) => void) | undefined, report: T): void {
  try {
    listener?.(report);
  } catch {
    // said in the documentation of the options
  }
}
