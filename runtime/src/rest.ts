import { type DescMessage, type DescService, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import type { ConnectRouter, HandlerContext, ServiceImpl, Transport } from "@connectrpc/connect";
import type { AnyMethodAdapter, ServiceAdapter, UnaryAdapter } from "./adapter/adapter.ts";
import { systemClock } from "./clock.ts";
import { startDeadline } from "./deadline.ts";
import { connectUpstreams, fullName, type Route } from "./directory.ts";
import { restError } from "./errors/rest-error.ts";
import { Invoker, type Outcome } from "./invoke.ts";
import { DEFAULT_TIMEOUT_MS, type RestOptions } from "./options.ts";
import { createTransport } from "./transport.ts";
import type { Upstream } from "./upstream/upstream.ts";

/** How one call is made. */
export interface CallOptions {
  /** Aborts the call, and the upstream's with it. */
  readonly signal?: AbortSignal | undefined;
  /** The headers of the RPC, for a function that provides credentials. */
  readonly header?: ConstructorParameters<typeof Headers>[0];
  /** The deadline in milliseconds; the method's own counts if it is shorter. Default: that of the options. */
  readonly timeoutMs?: number | undefined;
}

/** Adapters joined to upstreams: call them directly, as a Connect transport, or as routes of a server. */
export interface Rest {
  /** For `createClient(Service, rest.transport)`. */
  readonly transport: Transport;
  /** The adapters that are served. */
  readonly adapters: readonly ServiceAdapter[];
  /** Adds a handler for every method to a Connect router. */
  routes(router: ConnectRouter): void;
  /**
   * Makes one call: the response message as protobuf bytes, and those of the upstream's headers that callers get.
   *
   * @throws ConnectError
   */
  call<I extends DescMessage, O extends DescMessage>(
    adapter: UnaryAdapter<I, O>,
    message: MessageShape<I>,
    options?: CallOptions,
  ): Promise<Outcome>;
  /** Waits for running calls, then closes all connections. */
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

class JoinedRest implements Rest {
  readonly transport: Transport;
  readonly adapters: readonly ServiceAdapter[];
  private readonly table: ReadonlyMap<string, Route>;
  private readonly upstreams: readonly Upstream[];
  private readonly invoker: Invoker;
  private readonly defaultTimeoutMs: number;
  private readonly clock;

  constructor(options: RestOptions) {
    const { adapters, upstreams, interceptors, clock = systemClock } = options;
    this.clock = clock;
    this.adapters = adapters;
    this.defaultTimeoutMs = checkTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    ({ routes: this.table, upstreams: this.upstreams } = connectUpstreams(adapters, upstreams, clock));
    this.invoker = new Invoker(options, clock);
    this.transport = createTransport({
      find: (method) => this.table.get(fullName(method)),
      deadline: ({ adapter }, timeoutMs, signal) => this.deadline(adapter, timeoutMs, signal),
      invoke: (route, call) => this.invoker.invoke(route, call),
      interceptors,
    });
  }

  async call<I extends DescMessage, O extends DescMessage>(
    adapter: UnaryAdapter<I, O>,
    message: MessageShape<I>,
    options: CallOptions = {},
  ): Promise<Outcome> {
    const route = this.table.get(fullName(adapter.method));
    if (route === undefined) throw restError("METHOD_NOT_MAPPED", { method: fullName(adapter.method) });
    const deadline = this.deadline(adapter, options.timeoutMs, options.signal);
    try {
      const header = options.header instanceof Headers ? options.header : new Headers(options.header);
      return await this.invoker.invoke(route, { message, header, signal: deadline.signal });
    } finally {
      deadline.done();
    }
  }

  routes(router: ConnectRouter): void {
    for (const { service, methods } of this.adapters) {
      const handlers = Object.entries(methods).map(
        ([name, adapter]) => [name, this.handler(adapter)] as const,
      );
      // the type of an implementation follows from a generated service; here that is any service
      router.service(service, Object.fromEntries<unknown>(handlers) as Partial<ServiceImpl<DescService>>);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  private handler(adapter: AnyMethodAdapter) {
    return async (message: MessageShape<DescMessage>, context: HandlerContext) => {
      const { signal, requestHeader: header } = context;
      const outcome = await this.call(adapter, message, { signal, header, timeoutMs: context.timeoutMs() });
      outcome.header.forEach((value, name) => {
        context.responseHeader.set(name, value);
      });
      return fromBinary(adapter.method.output, outcome.bytes);
    };
  }

  private deadline(
    adapter: AnyMethodAdapter,
    timeoutMs: number | undefined,
    signal: AbortSignal | undefined,
  ) {
    const own = adapter.rules.timeoutMs ?? Number.POSITIVE_INFINITY;
    return startDeadline(
      fullName(adapter.method),
      Math.min(timeoutMs ?? this.defaultTimeoutMs, own),
      signal,
      this.clock,
    );
  }
}

function checkTimeout(value: unknown): number {
  if (typeof value === "number" && value > 0 && value <= 2 ** 31 - 1) return value;
  const expected = "milliseconds from 1 to 2147483647";
  throw restError("OPTION_INVALID", { option: "timeoutMs", expected, got: String(value) });
}

/** A Connect transport that calls REST upstreams, and can be closed. */
export type RestTransport = Transport & {
  /** Waits for running calls, then closes all connections. */
  close(): Promise<void>;
};

/**
 * A Connect transport for clients in the same process: `createClient(BlogService, createRestTransport({...}))`.
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
