import type { DescMessage, DescMethod, DescMethodStreaming, MessageShape } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import {
  createContextValues,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
} from "@connectrpc/connect";
import { runStreamingCall, runUnaryCall } from "@connectrpc/connect/protocol";
import type { CallContext } from "./call/call-context.ts";
import type { Deadline } from "./call/deadline.ts";
import { isStream, isUnary, isUpload, type Route } from "./call/routes.ts";
import { restError } from "./errors/rest-error.ts";
import type { Invoker } from "./invoke.ts";
import type { MessageStream } from "./stream/message-stream.ts";
import { fullName } from "./text/full-name.ts";

/** The dependencies of a transport. */
export interface TransportParts {
  find(method: DescMethod): Route | undefined;
  deadline(route: Route, timeoutMs: number | undefined, signal: AbortSignal | undefined): Deadline;
  readonly invoker: Invoker;
  readonly interceptors: Interceptor[] | undefined;
}

type Head<I extends DescMessage, O extends DescMessage> = Pick<
  StreamResponse<I, O>,
  "stream" | "service" | "method" | "trailer"
>;

/**
 * Creates a Connect transport from adapters. As in other transports, a timeout of 0 or less removes the
 * caller's deadline. The deadline of the method and the default deadline still apply.
 */
export function createTransport(parts: TransportParts): Transport {
  const { invoker, interceptors = [] } = parts;
  return {
    async unary(method, signal, timeoutMs, header, message, contextValues) {
      const route = findRoute(parts, method);
      if (!isUnary(route)) throw notMapped(method);
      const callerMs = positive(timeoutMs);
      const deadline = parts.deadline(route, callerMs, signal);
      const req = { stream: false as const, method, message, ...requestHead(method, header, contextValues) };
      const next = async ({
        message,
        header,
        signal,
      }: UnaryRequest<typeof method.input, typeof method.output>) => {
        const { expiresAt } = deadline;
        const hasCallerDeadline = callerMs !== undefined;
        const context = { header: () => header, signal, expiresAt, hasCallerDeadline };
        const outcome = await invoker.unary(route, message, context);
        return {
          stream: false as const,
          service: method.parent,
          method,
          header: outcome.header,
          trailer: new Headers(),
          message: fromBinary(method.output, outcome.bytes),
        };
      };
      try {
        return await runUnaryCall({ req, next, interceptors, signal: deadline.signal });
      } finally {
        deadline.done();
      }
    },

    async stream(method, signal, timeoutMs, header, message, contextValues) {
      const route = findRoute(parts, method);
      const left = new AbortController();
      const caller = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
      const callerMs = positive(timeoutMs);
      const deadline = parts.deadline(route, callerMs, caller);
      const bounds = { expiresAt: deadline.expiresAt, hasCallerDeadline: callerMs !== undefined };
      const req = { stream: true as const, method, message, ...requestHead(method, header, contextValues) };
      const next = (request: StreamRequest<typeof method.input, typeof method.output>) =>
        respond(invoker, route, request, bounds);
      try {
        const response = await runStreamingCall({ req, next, interceptors, signal: deadline.signal });
        return { ...response, message: leavable(response.message, left, deadline) };
      } catch (error) {
        deadline.done();
        throw error;
      }
    },
  };
}

function requestHead(
  method: DescMethod,
  header: ConstructorParameters<typeof Headers>[0],
  contextValues: UnaryRequest["contextValues"] | undefined,
) {
  return {
    service: method.parent,
    requestMethod: "POST",
    url: `connect-rest:///${method.parent.typeName}/${method.name}`,
    header: new Headers(header),
    contextValues: contextValues ?? createContextValues(),
  };
}

async function respond<I extends DescMessage, O extends DescMessage>(
  invoker: Invoker,
  route: Route,
  { method, message, header, signal }: StreamRequest<I, O>,
  bounds: Pick<CallContext, "expiresAt" | "hasCallerDeadline">,
): Promise<StreamResponse<I, O>> {
  const head: Head<I, O> = { stream: true, service: method.parent, method, trailer: new Headers() };
  const context = { header: () => header, signal, ...bounds };
  if (isUpload(route)) {
    const outcome = await invoker.upload(route, message, context);
    return { ...head, header: outcome.header, message: decoded(method, [outcome.bytes]) };
  }
  if (!isStream(route)) throw notMapped(method);
  const stream = invoker.stream(route, () => onlyMessage(method, message), context);
  // as in other transports, headers are available as soon as there is a response
  const first = await stream.next();
  return { ...head, header: stream.header, message: decoded(method, startingWith(first, stream)) };
}

async function onlyMessage<I extends DescMessage>(
  method: DescMethodStreaming<I>,
  messages: AsyncIterable<MessageShape<I>>,
): Promise<MessageShape<I>> {
  for await (const message of messages) return message;
  throw restError("REQUEST_STREAM_EMPTY", { method: fullName(method) });
}

async function* startingWith(first: IteratorResult<Uint8Array, undefined>, stream: MessageStream) {
  if (first.done === true) return;
  yield first.value;
  yield* stream;
}

async function* decoded<I extends DescMessage, O extends DescMessage>(
  { output }: DescMethodStreaming<I, O>,
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<MessageShape<O>> {
  for await (const bytes of messages) yield fromBinary(output, bytes);
}

/**
 * Aborts calls whose messages can no longer be read. If a loop is left early, Connect's clients do not call
 * `return` on the stream, so only garbage collection shows that the stream has no reader.
 */
const abandoned = new FinalizationRegistry<AbortController>((left) => left.abort());

/** Wraps a stream so that leaving it early ends the call. Leaving Connect's own stream has no effect. */
function leavable<T>(
  messages: AsyncIterable<T>,
  left: AbortController,
  deadline: Deadline,
): AsyncIterable<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const done = () => {
    deadline.done();
    abandoned.unregister(left);
  };
  const leavable: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => leavable,
    async next() {
      try {
        const step = await iterator.next();
        if (step.done === true) done();
        return step;
      } catch (error) {
        done();
        throw error;
      }
    },
    async return() {
      left.abort();
      done();
      return { done: true, value: undefined };
    },
  };
  abandoned.register(leavable, left, left);
  return leavable;
}

function positive(timeoutMs: number | undefined): number | undefined {
  return timeoutMs !== undefined && timeoutMs > 0 ? timeoutMs : undefined;
}

function findRoute(parts: TransportParts, method: DescMethod): Route {
  const route = parts.find(method);
  if (route === undefined) throw notMapped(method);
  return route;
}

function notMapped(method: DescMethod): Error {
  return restError("METHOD_NOT_MAPPED", { method: fullName(method) });
}
