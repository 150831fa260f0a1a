import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { createContextKey, type Interceptor } from "@connectrpc/connect";
import type { Deadline } from "./deadline.ts";
import type { Protocol } from "./protocol.ts";

/** Whose call it is. */
export interface Caller {
  readonly requestId: string;
  /** The client's IP address. */
  readonly client: string;
}

/** What is known about one call while it runs: the log line and the interceptors read it. */
export interface Call extends Caller {
  readonly method: DescMethod;
  readonly protocol: Protocol;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly deadline: Deadline;
  /** Bytes of the request's body so far, as they came. */
  bytesIn: number;
  /** Bytes of the response's body so far, as they went. */
  bytesOut: number;
  /** HTTP status of the last upstream answer. */
  upstreamStatus: number | undefined;
  /** Aborted when the call ends; its reason says how. Absent when the call was refused before it began. */
  signal: AbortSignal | undefined;
}

/** Finds the call in the context values of a handler or an interceptor. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "the gateway's call" });

const storage = new AsyncLocalStorage<Call>();

/** The call that the running code works for; undefined outside of one. */
export function currentCall(): Call | undefined {
  return storage.getStore();
}

/** Makes the call known to the code behind it, for callbacks that are not told which call they belong to. */
export const callInterceptor: Interceptor = (next) => (request) => {
  const call = request.contextValues.get(callKey);
  return call === undefined ? next(request) : storage.run(call, () => next(request));
};
