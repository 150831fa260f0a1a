import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { createContextKey, type Interceptor } from "@connectrpc/connect";
import { context } from "@opentelemetry/api";
import type { CallTrace } from "../trace/call-trace.ts";
import type { Caller } from "./caller.ts";
import type { Deadline } from "./deadline.ts";
import type { Protocol } from "./protocol.ts";

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
  readonly trace: CallTrace;
  /** Requests to upstreams so far. */
  attempts: number;
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

/** Runs code that works for a call. */
export function runAs<T>(call: Call, work: () => T): T {
  return context.with(call.trace.context, () => storage.run(call, work));
}

/** Makes the call known to the code behind it, for callbacks that are not told which call they belong to. */
export const callInterceptor: Interceptor = (next) => async (request) => {
  const call = request.contextValues.get(callKey);
  if (call === undefined) return next(request);
  const run = <T>(work: () => T) => runAs(call, work);
  const response = await run(() => next(request));
  return response.stream ? { ...response, message: within(response.message, run) } : response;
};

/** A stream's code runs when it is asked for the next message, so each time the call is made known anew. */
function within<T>(messages: AsyncIterable<T>, run: <R>(work: () => R) => R): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = messages[Symbol.asyncIterator]();
      const end = iterator.return?.bind(iterator);
      return {
        next: () => run(() => iterator.next()),
        ...(end === undefined ? {} : { return: () => run(() => end()) }),
      };
    },
  };
}
