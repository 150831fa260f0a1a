import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { type ConnectError, createContextKey } from "@connectrpc/connect";
import type { Context } from "@opentelemetry/api";
import type { Caller } from "./caller.ts";
import type { Deadline } from "./deadline.ts";
import type { LimitRejection } from "./limit-rejection.ts";
import type { Protocol } from "./protocol.ts";

/**
 * The span of a call. Without an OpenTelemetry SDK in the process it records nothing, and only propagates the
 * context.
 */
export interface CallTrace {
  /** The parent of the spans of upstream requests; undefined without tracing. */
  readonly context: Context | undefined;
  /** Runs code within that context. */
  readonly run: <T>(work: () => T) => T;
  /** 32 hexadecimal digits; undefined if neither the caller nor an SDK has begun a trace. */
  readonly traceId: string | undefined;
  /** Ends the span with `ok` or the code of its error. */
  end(code: string): void;
}

/** The trace of calls without tracing. */
export const noTrace: CallTrace = {
  context: undefined,
  run: (work) => work(),
  traceId: undefined,
  end: () => undefined,
};

/** The memory reserved for the body of a request. */
export interface BodyReservation {
  /**
   * Counts bytes that have arrived.
   *
   * @throws ConnectError UNAVAILABLE if all calls together hold too much, RESOURCE_EXHAUSTED if one client
   *   does
   */
  add(bytes: number): void;
  /**
   * Allows the memory to be reclaimed for other calls until the whole request has arrived.
   *
   * @param fail notified when the memory is reclaimed and nothing is held any more
   */
  arriving(fail: (error: ConnectError) => void): void;
  /** Called when the whole body has arrived, or no more is read. */
  arrived(): void;
}

/** The slot of a call, both in the process and in an upstream. */
export interface CallPlace {
  /**
   * Resolves when the call may run, immediately or after waiting. Rejects with the reason why it may not run,
   * or with the reason of the signal.
   */
  take(signal: AbortSignal): Promise<void>;
  /**
   * Releases the slot when the upstream has responded or the call has ended; safe to call twice, and before
   * `take`.
   */
  giveBack(): void;
}

/** The state of a call while it runs, for the log line and the interceptors. */
export interface Call extends Caller {
  /** The caller's key in all limits that callers share. */
  readonly key: string;
  readonly method: DescMethod;
  readonly protocol: Protocol;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly deadline: Deadline;
  /** Bytes of the request body so far, on the wire. */
  // biome-ignore lint/plugin: changes while the call runs
  bytesIn: number;
  /** Bytes of the response body so far, on the wire. */
  // biome-ignore lint/plugin: changes while the call runs
  bytesOut: number;
  /** Counts the memory held by the request. */
  readonly hold?: BodyReservation | undefined;
  /** Its slot; absent if the call needs none, or takes one itself. */
  // biome-ignore lint/plugin: set once it is known to need one
  place?: CallPlace;
  /** The limit that rejected the call; absent if it was admitted. */
  // biome-ignore lint/plugin: set when it is rejected
  rejected?: LimitRejection;
  readonly trace: CallTrace;
  /** The challenge for a caller that an upstream does not recognize; see `withChallenge`. */
  readonly challenge?: string | undefined;
  /**
   * The decoding cost of the costliest request message, by the table of `messageCost`; 0 or more for cheap
   * messages.
   */
  // biome-ignore lint/plugin: changes while the call runs
  messageCost: number;
  /** Upstream requests so far, e.g. one for each page, including retries. */
  // biome-ignore lint/plugin: changes while the call runs
  requests: number;
  /** The number of retries among the requests. */
  // biome-ignore lint/plugin: changes while the call runs
  retries: number;
  /** HTTP status of the last upstream response. */
  // biome-ignore lint/plugin: changes while the call runs
  upstreamStatus: number | undefined;
  /**
   * Aborted when the call ends; its reason is the outcome. Absent if the call was rejected before it began.
   */
  // biome-ignore lint/plugin: changes while the call runs
  signal: Pick<AbortSignal, "aborted" | "reason"> | undefined;
  /**
   * The running work of the call, which can be stopped from outside as if by its client; absent if none runs.
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
   * The error at the end of the response, as connect wrote it: the handler may have ended without an error.
   */
  // biome-ignore lint/plugin: known once it was sent
  endError?: ConnectError;
  /**
   * The HTTP status with which connect rejected the request. gRPC reports the error in a response with status
   * 200.
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

/** The subject on whose behalf polls run, which belong to no call. */
const WATCHERS = new AsyncLocalStorage<Caller["subject"]>();

/** Returns the subject on whose behalf the running code works, from its token; undefined if unknown. */
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
