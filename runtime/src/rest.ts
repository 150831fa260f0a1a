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
import type { WatchedFeed } from "./feed/watched-feed.ts";
import { Invoker, type Outcome } from "./invoke.ts";
import { carriedMessage } from "./response/carried-message.ts";
import type { MessageStream } from "./stream/message-stream.ts";
import { fullName } from "./text/full-name.ts";
import { createTransport } from "./transport.ts";
import { resolveClient } from "./upstream/supplied-client.ts";
import type { Upstream } from "./upstream/upstream.ts";

type HeadersInit = ConstructorParameters<typeof Headers>[0];

/** How one call is made. */
export interface CallOptions {
  /** Aborts the call, and the upstream's with it. */
  readonly signal?: AbortSignal | undefined;
  /** The headers of the RPC, or what makes them, for a function that provides credentials. */
  readonly header?: HeadersInit | (() => Headers);
  /**
   * The caller's deadline in milliseconds. A shorter one of the method, or else of the options, counts before
   * it. Default: none.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * When `signal` will be aborted at the latest, on the scale of `performance.now()`: whoever gives it keeps
   * the deadline, with a ConnectError as the signal's reason, and the call starts no timer. Needs `signal`.
   * Default: `timeoutMs` counts.
   */
  readonly expiresAt?: number | undefined;
  /**
   * For whoever keeps the deadline of many calls, with `expiresAt`, `hasCallerDeadline` and a function as
   * `header`: takes a listener that must be called as `signal` would be aborted, with its reason, at once
   * where it has been; undefined where there is nothing to listen any more. `signal` may then be a getter,
   * which is seldom asked. Default: `signal` is listened to.
   */
  readonly onCancel?: CallContext["onCancel"];
  /**
   * Whether the caller itself set a deadline. Without one, the waits before retries are bounded by
   * `retry.maxTotalDelayMs` of the upstream. Default: whether `timeoutMs` or `expiresAt` is set.
   */
  readonly hasCallerDeadline?: boolean | undefined;
}

/** How one call of a stream is made. */
export type StreamCallOptions = CallContext;

/** How the handlers of a Connect router respond. */
export interface RouteOptions {
  /**
   * Responses to clients that speak protobuf are not decoded: the messages that interceptors see are empty,
   * and are sent whole. Saves about half of what such a response costs. Default: false.
   */
  readonly carryBytes?: boolean;
  /**
   * Whether the caller itself set a deadline; see CallOptions. Default:
   * whether the request came with a timeout.
   */
  readonly hasCallerDeadline?: ((handler: HandlerContext) => boolean) | undefined;
}

/** Adapters joined to upstreams: call them directly, as a Connect transport, or as routes of a server. */
export interface Rest {
  /** For `createClient(Service, rest.transport)`. */
  readonly transport: Transport;
  /** The adapters that are served. */
  readonly adapters: readonly ServiceAdapter[];
  /**
   * The types by which google.protobuf.Any is resolved: those of the adapters, of google.rpc,
   * and the option `types`.
   */
  readonly types: Registry;
  /**
   * Adds a handler for every method of the adapters to a Connect router, streams included;
   * others stay unknown.
   */
  routes(router: ConnectRouter, options?: RouteOptions): void;
  /**
   * Makes one call of a unary method: the response message as protobuf bytes, and those of the upstream's
   * headers that callers get.
   *
   * @throws ConnectError
   */
  call<I extends DescMessage, O extends DescMessage>(
    adapter: UnaryAdapter<I, O>,
    message: MessageShape<I>,
    options?: CallOptions,
  ): Promise<Outcome>;
  /**
   * Makes one call of a method that responds with a stream: the response messages as protobuf bytes. Nothing
   * is sent before the first one is asked for. Whoever calls keeps the deadline, by the signal;
   * its reason is a ConnectError.
   *
   * @throws ConnectError
   */
  stream<I extends DescMessage>(
    adapter: StreamAdapter,
    message: MessageShape<I>,
    options: StreamCallOptions,
  ): MessageStream;
  /**
   * Watches a feed whose messages are batches, without a stream: `onReady` says that there is something to
   * take. Whoever watches keeps the deadline. It must not throw.
   *
   * @throws ConnectError where it cannot begin
   */
  watch<I extends DescMessage>(
    adapter: PollAdapter,
    message: MessageShape<I>,
    options: StreamCallOptions,
    onReady: () => void,
  ): Promise<WatchedFeed>;
  /**
   * Ends the streams that watch feeds, each with a last message that has its resume token, and then with
   * UNAVAILABLE, reason WATCH_DRAINED. For servers that let calls finish before they close.
   */
  drain(): void;
  /** The requests of callers at each origin of the upstreams, and how many may run there at a time. */
  loads(): readonly OriginLoad[];
  /** Ends streams that wait for news, waits for running calls, then closes all connections. */
  close(): Promise<void>;
}

/**
 * Joins adapters to upstreams. Nothing is connected before the first call.
 *
 * @throws ConnectError for what is configured wrongly; the text says what
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
  /** Infinity for none. */
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
    // passed on as it is: it may make its signal when that is asked for
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
    // one by one: a service as a whole would bring handlers for the methods that it does not have
    for (const route of this.table.values()) {
      const handler = this.handler(route, options);
      // the type of an implementation follows from a generated method; here that is any method
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
    // news have no end of their own, and of records nobody knows how many there are
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
 * @throws ConnectError for what is configured wrongly; the text says what
 */
export function createRestTransport(options: RestOptions): RestTransport {
  const rest = createRest(options);
  const { unary, stream } = rest.transport;
  return { unary, stream, close: () => rest.close() };
}

/**
 * Handlers for a Connect router, e.g. of `connectNodeAdapter({ routes: restRoutes(rest) })`. Give a Rest of
 * `createRest` where its connections are to be closed.
 *
 * @throws ConnectError for what is configured wrongly; the text says what
 */
export function restRoutes(options: RestOptions | Rest): (router: ConnectRouter) => void {
  const rest = "routes" in options ? options : createRest(options);
  return (router) => rest.routes(router);
}

/**
 * Whether a handler's response is written as protobuf. A Connect GET says so in its query,
 * which is not looked at.
 */
function speaksProtobuf({ requestMethod, requestHeader }: HandlerContext): boolean {
  return requestMethod === "POST" && !/json/i.test(requestHeader.get("content-type") ?? "json");
}

/** Whether options are all that a running call needs. Asks for no signal. */
function isContext(options: CallOptions): options is CallOptions & CallContext {
  const { onCancel, expiresAt, hasCallerDeadline, header } = options;
  if (onCancel === undefined || expiresAt === undefined) return false;
  return hasCallerDeadline !== undefined && typeof header === "function";
}
