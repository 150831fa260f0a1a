import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { type ConnectError, createContextKey } from "@connectrpc/connect";
import type { Context } from "@opentelemetry/api";
import type { Caller } from "./caller.ts";
import type { Deadline } from "./deadline.ts";
import type { LimitRejection } from "./limit-rejection.ts";
import type { Protocol } from "./protocol.ts";

/**
 * The span of a call. Without an OpenTelemetry SDK in the process it records nothing,
 * and passes the context on.
 */
export interface CallTrace {
  /** The parent of the spans of its requests to upstreams; undefined where nobody traces. */
  readonly context: Context | undefined;
  /** Runs code within that context. */
  readonly run: <T>(work: () => T) => T;
  /** 32 hexadecimal digits; undefined when neither the caller nor an SDK has begun a trace. */
  readonly traceId: string | undefined;
  /** Ends it with `ok` or the code of its error. */
  end(code: string): void;
}

/** A trace that is none, where nobody traces. */
export const noTrace: CallTrace = {
  context: undefined,
  run: (work) => work(),
  traceId: undefined,
  end: () => undefined,
};

/** What a call holds of its request's body. */
export interface BodyReservation {
  /**
   * Counts bytes that arrived.
   *
   * @throws ConnectError UNAVAILABLE where all calls hold too much, RESOURCE_EXHAUSTED where one client does
   */
  add(bytes: number): void;
  /**
   * Lets what is held be taken for others until all of the request has arrived.
   *
   * @param fail notified once it is; nothing is held any more then
   */
  arriving(fail: (error: ConnectError) => void): void;
  /** All has arrived, or nothing more is read. */
  arrived(): void;
}

/** A place among the calls that run, of the process and of an upstream. */
export interface CallPlace {
  /**
   * Resolves when the call may run, at once or after it has waited. Rejects with why it may not, and with the
   * reason of the signal.
   */
  take(signal: AbortSignal): Promise<void>;
  /** The upstream has responded, or the call is over; safe to call twice, and before it was taken. */
  giveBack(): void;
}

/** What is known about one call while it runs: the log line and the interceptors read it. */
export interface Call extends Caller {
  /** Whose it is, in all limits that callers share. */
  readonly key: string;
  readonly method: DescMethod;
  readonly protocol: Protocol;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly deadline: Deadline;
  /** Bytes of the request's body so far, as they came. */
  // biome-ignore lint/plugin: changes while the call runs
  bytesIn: number;
  /** Bytes of the response's body so far, as they went. */
  // biome-ignore lint/plugin: changes while the call runs
  bytesOut: number;
  /** Counts what the call holds of its request. */
  readonly hold?: BodyReservation | undefined;
  /** Its place among the calls that run; absent where it needs none, or takes one by itself. */
  // biome-ignore lint/plugin: set once it is known to need one
  place?: CallPlace;
  /** Why it may not run; absent where it may. */
  // biome-ignore lint/plugin: set when it is rejected
  rejected?: LimitRejection;
  readonly trace: CallTrace;
  /** What a caller whom an upstream does not know is told; see `withChallenge`. */
  readonly challenge?: string | undefined;
  /**
   * What decoding the costliest message of its request cost, by the table of `messageCost`; of cheap ones,
   * 0 or more.
   */
  // biome-ignore lint/plugin: changes while the call runs
  messageCost: number;
  /** Requests to upstreams so far, e.g. one for each page, with those that were sent again. */
  // biome-ignore lint/plugin: changes while the call runs
  requests: number;
  /** Those of them that were sent again. */
  // biome-ignore lint/plugin: changes while the call runs
  retries: number;
  /** HTTP status of the last upstream response. */
  // biome-ignore lint/plugin: changes while the call runs
  upstreamStatus: number | undefined;
  /** Aborted when the call ends; its reason says how. Absent when the call was rejected before it began. */
  // biome-ignore lint/plugin: changes while the call runs
  signal: Pick<AbortSignal, "aborted" | "reason"> | undefined;
  /** What runs for it, which can be ended from outside as by its client; absent where nothing does. */
  // biome-ignore lint/plugin: set when the call runs
  running?: { readonly stop: (error: ConnectError) => void };
  /**
   * Whether its error is a ConnectError that the handler or the method threw,
   * and not one of the gateway or of connect.
   */
  // biome-ignore lint/plugin: changes while the call runs
  failedInHandler: boolean;
  /**
   * The error at the end of its response, as connect wrote it there:
   * its handler may have come to an end without one.
   */
  // biome-ignore lint/plugin: known once it was sent
  endError?: ConnectError;
  /** The HTTP status that connect rejected its request with, which gRPC says in a response with status 200. */
  // biome-ignore lint/plugin: known once it was rejected
  rejectedStatus?: number;
}

/** Finds the call in the context values of a handler or an interceptor. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "the gateway's call" });

const storage = new AsyncLocalStorage<Call>();

/** The call that the running code works for; undefined outside of one. */
export function currentCall(): Call | undefined {
  return storage.getStore();
}

/** Whom polls are made for, that belong to no call. */
const WATCHERS = new AsyncLocalStorage<Caller["subject"]>();

/** Whom the running code works for, as a token says; undefined for nobody that is known. */
export function currentSubject(): Caller["subject"] {
  return currentCall()?.subject ?? WATCHERS.getStore();
}

/** Returns what runs code for whom the running call works for, when that call is over. */
export function asCurrentSubject(): <T>(work: () => T) => T {
  const subject = currentSubject();
  return subject === undefined ? asNobody : (work) => WATCHERS.run(subject, work);
}

function asNobody<T>(work: () => T): T {
  return work();
}

/** Runs code that works for a call. */
export function runAs<T>(call: Call, work: () => T): T {
  if (call.trace === noTrace) return storage.run(call, work);
  return call.trace.run(() => storage.run(call, work));
}
