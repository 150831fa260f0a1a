import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  type MessageShape,
  type Registry,
} from "@bufbuild/protobuf";
import type { ConnectRouter, HandlerContext, MethodImpl, Transport } from "@connectrpc/connect";
import { systemClock } from "connect-rest-codec/internal";
import type { PollAdapter, ServiceAdapter, UnaryAdapter } from "./adapter/adapter.ts";
import type { OriginLoad } from "./breaker/breaker.ts";
import type { CallContext } from "./call/call-context.ts";
import type { CallOptions, ExplainOptions, RouteOptions, StreamCallOptions } from "./call/call-options.ts";
import { checkRestOptions } from "./call/check-rest-options.ts";
import { type Deadline, startDeadline } from "./call/deadline.ts";
import { notify } from "./call/notify.ts";
import { DEFAULT_TIMEOUT_MS, type RestOptions } from "./call/options.ts";
import {
  connectUpstreams,
  isStream,
  isUnary,
  isUpload,
  type Route,
  type StreamAdapter,
} from "./call/routes.ts";
import { typesOfFiles } from "./errors/known-types.ts";
import { restError } from "./errors/rest-error.ts";
import { CallTrace } from "./explain/call-trace.ts";
import type { Explanation } from "./explain/explanation.ts";
import type { WatchedFeed } from "./feed/watched-feed.ts";
import { Invoker, type Outcome } from "./invoke.ts";
import { carriedMessage } from "./response/carried-message.ts";
import type { MessageStream } from "./stream/message-stream.ts";
import { fullName } from "./text/full-name.ts";
import { createTransport } from "./transport.ts";
import { resolveClient } from "./upstream/supplied-client.ts";
import type { Upstream } from "./upstream/upstream.ts";

/**
 * Adapters that are connected to upstreams. They can be called directly, through a Connect transport, or as
 * the routes of a server.
 */
export interface Rest {
  /** The transport for `createClient(Service, rest.transport)`. */
  readonly transport: Transport;
  /** The adapters that are served. */
  readonly adapters: readonly ServiceAdapter[];
  /**
   * The types that google.protobuf.Any may contain: the types of the adapters, the types of google.rpc, and
   * the types in the option `types`.
   */
  readonly types: Registry;
  /**
   * Adds a handler for every method of the adapters, including streams, to a Connect router. Methods without
   * an adapter stay unimplemented.
   */
  routes(router: ConnectRouter, options?: RouteOptions): void;
  /**
   * Calls a unary method. Returns the response message as protobuf bytes, and the upstream's response headers
   * for the caller.
   *
   * @throws ConnectError
   */
  call<I extends DescMessage, O extends DescMessage>(
    adapter: UnaryAdapter<I, O>,
    message: MessageShape<I>,
    options?: CallOptions,
  ): Promise<Outcome>;
  /**
   * Calls a method that responds with a stream. Yields the response messages as protobuf bytes, and sends
   * nothing before the first message is requested. The caller enforces the deadline by aborting the signal
   * with a ConnectError as the reason.
   *
   * @throws ConnectError
   */
  stream<I extends DescMessage>(
    adapter: StreamAdapter,
    message: MessageShape<I>,
    options: StreamCallOptions,
  ): MessageStream;
  /**
   * Watches a feed whose messages are batches, without a stream. `onReady` is called when a message is
   * available, and must not throw. The caller enforces the deadline.
   *
   * @throws ConnectError if the watch cannot begin
   */
  watch<I extends DescMessage>(
    adapter: PollAdapter,
    message: MessageShape<I>,
    options: StreamCallOptions,
    onReady: () => void,
  ): Promise<WatchedFeed>;
  /**
   * Explains a call: its HTTP requests and, if it is sent, the responses. For a stream, only the first
   * message is requested. A dry run sends nothing, waits for no rate limit, and ends with its first request.
   * If the call fails, the explanation contains the error.
   *
   * @throws ConnectError reason METHOD_NOT_MAPPED
   */
  explain<I extends DescMessage>(
    method: DescMethod & { readonly input: I },
    message: MessageShape<I>,
    options?: ExplainOptions,
  ): Promise<Explanation>;
  /**
   * Ends the streams that watch feeds. Each stream gets a last message with its resume token, then
   * UNAVAILABLE with reason WATCH_DRAINED. For servers that finish running calls before they close.
   */
  drain(): void;
  /** The number of running and waiting requests at each upstream origin, and its current limit. */
  loads(): readonly OriginLoad[];
  /** Ends streams that wait for feed items, waits for running calls, then closes all connections. */
  close(): Promise<void>;
}

/**
 * Connects adapters to upstreams. Opens no connection before the first call.
 *
 * @throws ConnectError for an invalid configuration; the message names the problem
 */
export function createRest(options: RestOptions): Rest {
  return new JoinedRest(options);
}

type AnyMessage = MessageShape<DescMessage>;

type TimedOptions = Pick<CallOptions, "timeoutMs" | "signal"> &
  Pick<CallContext, "header" | "hasCallerDeadline">;

class JoinedRest implements Rest {
  readonly transport: Transport;
  readonly adapters: readonly ServiceAdapter[];
  readonly types: Registry;
  private readonly table: ReadonlyMap<string, Route>;
  private readonly upstreams: readonly Upstream[];
  private readonly invoker: Invoker;
  private readonly defaultTimeoutMs: number;
  /** The maximum deadline. Infinity means no limit. */
  private readonly maxTimeoutMs: number;
  private readonly clock;

  constructor(options: RestOptions) {
    checkRestOptions(options);
    const { adapters, upstreams, interceptors, clock = systemClock } = options;
    this.clock = clock;
    this.adapters = adapters;
    this.types = typesOfFiles([...(options.types ?? []), ...adapters.map(({ service }) => service.file)]);
    this.defaultTimeoutMs = checkTimeout("timeoutMs", options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    this.maxTimeoutMs =
      options.maxTimeoutMs === undefined
        ? Number.POSITIVE_INFINITY
        : checkTimeout("maxTimeoutMs", options.maxTimeoutMs);
    ({ routes: this.table, upstreams: this.upstreams } = connectUpstreams(adapters, upstreams, {
      clock,
      onBreaker: (report) => notify("onBreaker", options.onBreaker, report),
      network: options.network,
      client: resolveClient(options, (option, expected, got) =>
        restError("OPTION_INVALID", { option, expected, got }),
      ),
    }));
    this.invoker = new Invoker(options, this.types, clock);
    this.transport = createTransport({
      find: (method) => this.table.get(fullName(method)),
      deadline: (route, timeoutMs, signal) => this.deadline(route, timeoutMs, signal),
      invoker: this.invoker,
      interceptors,
    });
  }

  call<I extends DescMessage, O extends DescMessage>(
    adapter: UnaryAdapter<I, O>,
    message: MessageShape<I>,
    options: CallOptions = {},
  ): Promise<Outcome> {
    const route = this.table.get(fullName(adapter.method));
    if (route === undefined || !isUnary(route)) {
      return Promise.reject(restError("METHOD_NOT_MAPPED", { method: fullName(adapter.method) }));
    }
    // the context is not copied, because it may create its signal lazily
    if (isContext(options)) return this.invoker.unary(route, message, options);
    return this.called(route, message, options);
  }

  private async called(
    route: Route<UnaryAdapter>,
    message: AnyMessage,
    options: CallOptions,
  ): Promise<Outcome> {
    const { signal, expiresAt, timeoutMs } = options;
    const { hasCallerDeadline = timeoutMs !== undefined || expiresAt !== undefined, header: given } = options;
    const header = typeof given === "function" ? given : () => new Headers(given);
    if (signal !== undefined && expiresAt !== undefined) {
      return await this.invoker.unary(route, message, { header, signal, expiresAt, hasCallerDeadline });
    }
    return await this.timed(route, { ...options, header, hasCallerDeadline }, (context) =>
      this.invoker.unary(route, message, context),
    );
  }

  stream<I extends DescMessage>(
    adapter: StreamAdapter,
    message: MessageShape<I>,
    options: StreamCallOptions,
  ): MessageStream {
    const route = this.table.get(fullName(adapter.method));
    if (route === undefined || !isStream(route)) {
      throw restError("METHOD_NOT_MAPPED", { method: fullName(adapter.method) });
    }
    return this.invoker.stream(route, () => message, options);
  }

  routes(router: ConnectRouter, options: RouteOptions = {}): void {
    // registers methods one by one, since registering the whole service would also add handlers for methods
    // without an adapter
    for (const route of this.table.values()) {
      const handler = this.handler(route, options);
      // the type of an implementation depends on the generated method, but here the method can be any
      if (handler !== undefined) router.rpc(route.adapter.method, handler as MethodImpl<DescMethod>);
    }
  }

  async watch<I extends DescMessage>(
    adapter: PollAdapter,
    message: MessageShape<I>,
    options: StreamCallOptions,
    onReady: () => void,
  ): Promise<WatchedFeed> {
    const route = this.table.get(fullName(adapter.method));
    if (route === undefined || adapter.feed === undefined) {
      throw restError("METHOD_NOT_MAPPED", { method: fullName(adapter.method) });
    }
    return await this.invoker.watch(route as Route<PollAdapter>, message, options, onReady);
  }

  async explain<I extends DescMessage>(
    method: DescMethod & { readonly input: I },
    message: MessageShape<I>,
    options: ExplainOptions = {},
  ): Promise<Explanation> {
    const { send = false, header: given, signal, timeoutMs } = options;
    const { hasCallerDeadline = timeoutMs !== undefined } = options;
    const route = this.table.get(fullName(method));
    if (route === undefined) throw restError("METHOD_NOT_MAPPED", { method: fullName(method) });
    const header = typeof given === "function" ? given : () => new Headers(given);
    const trace = new CallTrace(!send, this.clock);
    // even a feed, which has no default deadline, is asked only for its first message
    const timed = { header, signal, timeoutMs: timeoutMs ?? this.defaultTimeoutMs, hasCallerDeadline };
    return await this.timed(route, timed, (context) => this.invoker.explain(route, message, context, trace));
  }

  drain(): void {
    this.invoker.drain();
  }

  loads(): readonly OriginLoad[] {
    return this.upstreams.flatMap((upstream) => upstream.loads);
  }

  async close(): Promise<void> {
    this.drain();
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  private handler(
    route: Route,
    { carryBytes = false, hasCallerDeadline = hasTimeout }: RouteOptions,
  ): unknown {
    const { output } = route.adapter.method;
    const optionsOf = (handler: HandlerContext) => ({
      header: () => handler.requestHeader,
      signal: handler.signal,
      timeoutMs: handler.timeoutMs(),
      hasCallerDeadline: hasCallerDeadline(handler),
    });
    const toMessage = (bytes: Uint8Array, handler: HandlerContext) =>
      carryBytes && speaksProtobuf(handler) ? carriedMessage(output, bytes) : fromBinary(output, bytes);
    const single = async (handler: HandlerContext, invoke: (context: CallContext) => Promise<Outcome>) => {
      const outcome = await this.timed(route, optionsOf(handler), invoke);
      copyHeaders(outcome.header, handler.responseHeader);
      return toMessage(outcome.bytes, handler);
    };
    if (isUnary(route)) {
      return (message: AnyMessage, handler: HandlerContext) =>
        single(handler, (context) => this.invoker.unary(route, message, context));
    }
    if (isUpload(route)) {
      return (messages: AsyncIterable<AnyMessage>, handler: HandlerContext) =>
        single(handler, (context) => this.invoker.upload(route, messages, context));
    }
    return isStream(route)
      ? (message: AnyMessage, handler: HandlerContext) =>
          this.streamed(route, message, handler, optionsOf(handler), toMessage)
      : undefined;
  }

  private async *streamed(
    route: Route<StreamAdapter>,
    message: AnyMessage,
    handler: HandlerContext,
    { header, hasCallerDeadline, timeoutMs, signal: caller }: TimedOptions,
    toMessage: (bytes: Uint8Array, handler: HandlerContext) => AnyMessage,
  ): AsyncGenerator<AnyMessage> {
    const deadline = this.deadline(route, timeoutMs, caller);
    const { signal, expiresAt } = deadline;
    const stream = this.invoker.stream(route, () => message, {
      header,
      signal,
      expiresAt,
      hasCallerDeadline,
    });
    try {
      for await (const bytes of stream) {
        copyHeaders(stream.header, handler.responseHeader);
        yield toMessage(bytes, handler);
      }
      copyHeaders(stream.header, handler.responseHeader);
    } finally {
      deadline.done();
    }
  }

  private async timed<T>(
    route: Route,
    { header, hasCallerDeadline, timeoutMs, signal: caller }: TimedOptions,
    run: (context: CallContext) => Promise<T>,
  ): Promise<T> {
    const deadline = this.deadline(route, timeoutMs, caller);
    const { signal, expiresAt } = deadline;
    try {
      return await run({ header, signal, expiresAt, hasCallerDeadline });
    } finally {
      deadline.done();
    }
  }

  private deadline(
    { adapter }: Route,
    timeoutMs: number | undefined,
    signal: AbortSignal | undefined,
  ): Deadline {
    // feeds have no end, and the number of records in a response is unknown
    const isOpenEnded = adapter.kind === "poll" || adapter.kind === "records";
    const fallback = isOpenEnded ? Number.POSITIVE_INFINITY : this.defaultTimeoutMs;
    const shortest = Math.min(
      timeoutMs ?? Number.POSITIVE_INFINITY,
      adapter.rules.timeoutMs ?? fallback,
      this.maxTimeoutMs,
    );
    const limit = Number.isFinite(shortest) ? shortest : undefined;
    return startDeadline(fullName(adapter.method), limit, signal, this.clock);
  }
}

function hasTimeout(handler: HandlerContext): boolean {
  return handler.timeoutMs() !== undefined;
}

function copyHeaders(from: Headers, to: Headers): void {
  from.forEach((value, name) => {
    to.set(name, value);
  });
}

function checkTimeout(option: "timeoutMs" | "maxTimeoutMs", value: unknown): number {
  if (typeof value === "number" && value > 0 && value <= 2 ** 31 - 1) return value;
  const expected = "milliseconds from 1 to 2147483647";
  throw restError("OPTION_INVALID", { option, expected, got: String(value) });
}

/** A Connect transport that calls REST upstreams, and can be closed. */
export type RestTransport = Transport & {
  /** Waits for running calls, then closes all connections. */
  close(): Promise<void>;
};

/**
 * A Connect transport for clients in the same process: `createClient(BlogService,
 * createRestTransport({...}))`.
 *
 * @throws ConnectError for an invalid configuration; the message names the problem
 */
export function createRestTransport(options: RestOptions): RestTransport {
  const rest = createRest(options);
  const { unary, stream } = rest.transport;
  return { unary, stream, close: () => rest.close() };
}

/**
 * Returns handlers for a Connect router, e.g. for `connectNodeAdapter({ routes: restRoutes(rest) })`. Pass a
 * Rest from `createRest` to be able to close its connections.
 *
 * @throws ConnectError for an invalid configuration; the message names the problem
 */
export function restRoutes(options: RestOptions | Rest): (router: ConnectRouter) => void {
  const rest = "routes" in options ? options : createRest(options);
  return (router) => rest.routes(router);
}

/**
 * Reports whether a handler's response is written as protobuf. Ignores the encoding that a Connect GET has in
 * its query.
 */
function speaksProtobuf({ requestMethod, requestHeader }: HandlerContext): boolean {
  return requestMethod === "POST" && !/json/i.test(requestHeader.get("content-type") ?? "json");
}

/** Reports whether options are already a complete call context. Does not read the signal. */
function isContext(options: CallOptions): options is CallOptions & CallContext {
  const { onCancel, expiresAt, hasCallerDeadline, header } = options;
  if (onCancel === undefined || expiresAt === undefined) return false;
  return hasCallerDeadline !== undefined && typeof header === "function";
}
