import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { type ConnectError, createContextKey } from "@connectrpc/connect";
import type { Context } from "@opentelemetry/api";
import type { Caller } from "./caller.ts";
import type { Deadline } from "./deadline.ts";
import type { LimitRejection } from "./limit-rejection.ts";
import type { CallProtocol } from "./protocol.ts";

/**
 * The span of a call. Without an OpenTelemetry SDK in the process, it records nothing and only propagates the
 * context.
 */
export interface CallTrace {
  /** The parent of the spans of upstream requests; undefined without tracing. */
  readonly context: Context | undefined;
  /** Runs code within `context`. */
  readonly run: <T>(work: () => T) => T;
  /**
   * The trace ID as 32 hexadecimal digits; undefined if neither the caller nor an SDK has started a trace.
   */
  readonly traceId: string | undefined;
  /** Adds an event to the span. */
  event(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Ends the span with `ok` or the code of its error. */
  end(code: string): void;
}

/** The trace object for calls that are not traced. */
export const noTrace: CallTrace = {
  context: undefined,
  run: (work) => work(),
  traceId: undefined,
  event: () => undefined,
  end: () => undefined,
};

/** The memory reserved for the body of a request. */
export interface BodyReservation {
  /**
   * Counts bytes that have arrived.
   *
   * @throws ConnectError UNAVAILABLE if all calls together hold too many bytes, RESOURCE_EXHAUSTED if a
   *   single client does
   */
  add(bytes: number): void;
  /**
   * Allows other calls to reclaim the memory until the whole request has arrived.
   *
   * @param fail called when the memory has been reclaimed and the request holds no more bytes
   */
  arriving(fail: (error: ConnectError) => void): void;
  /** Called when the whole body has arrived, or when reading stops. */
  arrived(): void;
}

/** The slot of a call, both in the process and in an upstream. */
export interface CallPlace {
  /**
   * Resolves when the call may run, immediately or after waiting. Rejects with the reason why the call may
   * not run, or with the reason of the signal.
   */
  take(signal: AbortSignal): Promise<void>;
  /**
   * Releases the slot when the upstream has responded or the call has ended; may be called twice, and before
   * `take`.
   */
  giveBack(): void;
}

/** The state of a running call, for the log line and the interceptors. */
export interface Call extends Caller {
  /** The caller's key in all limits that apply per caller. */
  readonly key: string;
  readonly method: DescMethod;
  readonly protocol: CallProtocol;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly deadline: Deadline;
  /** The bytes of the request body received so far, on the wire. */
  // biome-ignore lint/plugin: changes while the call runs
  bytesIn: number;
  /** The bytes of the response body sent so far, on the wire. */
  // biome-ignore lint/plugin: changes while the call runs
  bytesOut: number;
  /** Counts the memory held by the request. */
  readonly hold?: BodyReservation | undefined;
  /** The slot of the call; absent if the call needs no slot, or takes its slot itself. */
  // biome-ignore lint/plugin: set once it is known to need one
  place?: CallPlace;
  /** The limit that rejected the call; absent if it was admitted. */
  // biome-ignore lint/plugin: set when it is rejected
  rejected?: LimitRejection;
  readonly trace: CallTrace;
  /** The WWW-Authenticate challenge for errors with status 401; see `withChallenge`. */
  readonly challenge?: string | undefined;
  /**
   * The decoding cost of the costliest request message, as `messageCost` computes it; may be 0 for cheap
   * messages.
   */
  // biome-ignore lint/plugin: changes while the call runs
  messageCost: number;
  /** The number of upstream requests so far, including retries and page requests. */
  // biome-ignore lint/plugin: changes while the call runs
  requests: number;
  /** The number of retries among the requests. */
  // biome-ignore lint/plugin: changes while the call runs
  retries: number;
  /** The HTTP status of the last upstream response. */
  // biome-ignore lint/plugin: changes while the call runs
  upstreamStatus: number | undefined;
  /**
   * The signal that is aborted when the call ends; its reason is the outcome. Absent if the call was rejected
   * before it began.
   */
  // biome-ignore lint/plugin: changes while the call runs
  signal: Pick<AbortSignal, "aborted" | "reason"> | undefined;
  /**
   * The running work of the call, which other code can stop as if the client had disconnected; absent if no
   * work is running.
   */
  // biome-ignore lint/plugin: set when the call runs
  running?: { readonly stop: (error: ConnectError) => void };
  /**
   * Whether the error of the call is a ConnectError thrown by the handler or the method, not by the gateway
   * or by connect.
   */
  // biome-ignore lint/plugin: changes while the call runs
  failedInHandler: boolean;
  /**
   * The error at the end of the response, as connect wrote it. Needed because the handler may have ended
   * without an error.
   */
  // biome-ignore lint/plugin: known once it was sent
  endError?: ConnectError;
  /**
   * The HTTP status with which connect rejected the request. (gRPC reports errors in responses with status
   * 200.)
   */
  // biome-ignore lint/plugin: known once it was rejected
  rejectedStatus?: number;
}

/** The key of the call in the context values of a handler or an interceptor. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "the gateway's call" });

const storage = new AsyncLocalStorage<Call>();

/** Returns the call that the running code belongs to; undefined outside of a call. */
export function currentCall(): Call | undefined {
  return storage.getStore();
}

/** The subject on whose behalf a poll runs; polls belong to no call. */
const WATCHERS = new AsyncLocalStorage<Caller["subject"]>();

/** Returns the subject of the token on whose behalf the running code works; undefined if unknown. */
export function currentSubject(): Caller["subject"] {
  return currentCall()?.subject ?? WATCHERS.getStore();
}

/** Returns a function that runs code on behalf of the current call's subject, after the call has ended. */
export function asCurrentSubject(): <T>(work: () => T) => T {
  const subject = currentSubject();
  return subject === undefined ? asNobody : (work) => WATCHERS.run(subject, work);
}

function asNobody<T>(work: () => T): T {
  return work();
}

/** Runs code on behalf of a call. */
export function runAs<T>(call: Call, work: () => T): T {
  if (call.trace === noTrace) return storage.run(call, work);
  return call.trace.run(() => storage.run(call, work));
}
