import type { DescFile, DescMethod } from "@bufbuild/protobuf";
import type { SignInSettings } from "connect-rest-authorization";
import {
  type BreakerReport,
  type ClientOptions,
  createRest,
  type DifferenceOptions,
  type Rest,
  type RestOptions,
  type ServiceAdapter,
  type WatchOptions,
} from "connect-rest-runtime";
import { commentTexts } from "connect-rest-runtime/internal";
import { DEFAULT_UPSTREAM_CALLS, type UpstreamShare } from "./admission/admission.ts";
import type {
  CallerAuthorizationOptions,
  PreparedAuthorization,
} from "./authorization/caller-authorization.ts";
import { createBusObserver } from "./bus/bus-observer.ts";
import type { BusMaker, BusOptions, ProcessBus } from "./bus/bus-options.ts";
import { asCurrentSubject, callKey, currentCall } from "./call/call.ts";
import { callerInLog } from "./call/caller-key.ts";
import type { MethodTimeout } from "./call/deadline.ts";
import { withRightsOfCallers } from "./credentials/caller-rights.ts";
import { type GatewayUpstream, withTracedCredentials } from "./credentials/gateway-upstream.ts";
import { startDiagnosticsServer } from "./diagnostics/diagnostics-server.ts";
import type { StreamMethod } from "./fast-path/call-stream.ts";
import type { UnaryMethod } from "./fast-path/call-unary.ts";
import { printWithoutWebAssembly } from "./fast-path/codec.ts";
import type { SidePlace, SideServer } from "./listener/side-server.ts";
import { DifferenceLog } from "./log/difference-log.ts";
import { type Logger, silentLogger } from "./log/logger.ts";
import { Metrics, type MetricsOptions, type MetricsSnapshot } from "./metrics/metrics.ts";
import { startMetricsServer } from "./metrics/metrics-server.ts";
import { observeRequest } from "./metrics/observe-request.ts";
import {
  explainRoutesOf,
  type McpOptions,
  makeBus,
  mcpEndpointOf,
  prepareCallers,
} from "./server/on-demand.ts";
import {
  type CloseOptions,
  createLocalCalls,
  type Server,
  type ServerOptions,
  startServer,
} from "./server.ts";

export type { GatewayUpstream } from "./credentials/gateway-upstream.ts";

/** The address of the metrics endpoint; without a port, metrics are not served. */
interface MetricsPlace {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

export interface GatewayOptions
  extends Omit<
    ServerOptions,
    | "routes"
    | "unaryOf"
    | "streamOf"
    | "methodTimeout"
    | "comments"
    | "metrics"
    | "shareOf"
    | "isWatch"
    | "types"
    | "authorization"
    | "explainRoutes"
    | "mcpEndpoint"
  > {
  /**
   * Requires an access token for every call, and issues tokens. Default: anyone who can reach the gateway may
   * call it.
   */
  readonly authorization?: CallerAuthorizationOptions | undefined;
  /**
   * Sign-in at upstreams, so that calls on behalf of a person use that person's rights. Requires
   * `authorization`, and replaces its `signIn`. Default: no sign-in.
   */
  readonly signIn?: SignInSettings | undefined;
  /** The adapters to serve, from generated modules. */
  readonly adapters: readonly ServiceAdapter[];
  /** The upstreams, by the names that the adapters use. */
  readonly upstreams: Readonly<Record<string, GatewayUpstream>>;
  /**
   * Files with additional types for google.protobuf.Any. Default: the types of the adapters and of
   * google.rpc.
   */
  readonly types?: readonly DescFile[] | undefined;
  /** The action for each class of difference between a response and its declaration. Default: log all. */
  readonly differences?: DifferenceOptions | undefined;
  /**
   * Short for `differences: { lost: "fail" }`; cannot be combined with another value of `lost`. Default:
   * false.
   */
  readonly strict?: boolean;
  /** Records exchanges with upstreams. The gateway closes the recording when it stops. Default: none. */
  readonly recorder?: RestOptions["recorder"];
  /**
   * An undici Dispatcher for all upstreams that do not set one themselves. Default: the runtime's own
   * connections.
   */
  readonly dispatcher?: ClientOptions["dispatcher"];
  /** A `fetch` function for all upstreams that do not set one themselves. */
  readonly fetch?: ClientOptions["fetch"];
  /**
   * Whether WebAssembly decodes common responses and prints JSON, which takes a fraction of the time and
   * gives the same results. JavaScript is used if WebAssembly is not allowed. Default: true.
   */
  readonly webAssembly?: boolean;
  /** Additional routes. */
  readonly routes?: ServerOptions["routes"];
  /**
   * Whether calls take the fast path. If false, connect's handlers serve the adapters, as they serve
   * `routes`; tests compare the two paths. Default: true.
   */
  readonly fastPath?: boolean;
  /**
   * Whether to serve `connectrest.explain.v1.ExplainService`. Default: true if the console is served and
   * callers are not authorized, and false otherwise.
   */
  readonly explain?: boolean | undefined;
  /**
   * Serves methods as tools of the Model Context Protocol. Requires the package
   * `@modelcontextprotocol/server`. Default: not served.
   */
  readonly mcp?: McpOptions | undefined;
  /** Options for watching feeds. (`limits` sets the maximum number of streams.) */
  readonly watch?: Omit<WatchOptions, "bus" | "maxWatchers"> | undefined;
  /**
   * Shares feeds with other processes, over Redis or a custom bus. Default: each process polls for itself.
   */
  readonly bus?: BusOptions | BusMaker | undefined;
  /** The address and options of the metrics endpoint. Default: metrics are not served. */
  readonly metrics?: (MetricsPlace & MetricsOptions) | undefined;
  /** The address for heap snapshots, CPU profiles and the log level. Default: not served. */
  readonly diagnostics?: SidePlace | undefined;
}

/** An effectively unlimited timeout, because the gateway itself enforces the deadlines of its calls. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** A number above the largest allowed value of the limit `watchers`. */
const MAX_WATCHERS = 10_000_000;

/** A running gateway. */
export interface Gateway extends Server {
  /** The URL of the metrics; undefined if they are not served. */
  readonly metricsUrl: string | undefined;
  /** The URL of the diagnostics; undefined if they are not served. */
  readonly diagnosticsUrl: string | undefined;
  /** Returns the metrics as data, for merging the metrics of several processes. */
  metrics(): Promise<MetricsSnapshot>;
}

/**
 * Starts a gateway: serves the adapters over Connect, gRPC and gRPC-Web on one port, with health, reflection
 * and pages. Rejects if a port is not available, or if the adapters do not match the upstreams.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { metrics: metricsPlace, diagnostics } = options;
  const metrics = new Metrics({ perMethod: metricsPlace?.perMethod }, options.adapters);
  const log = options.log ?? silentLogger();
  const callers = await callersOf(options, () => rest, metrics, log);
  const bus = options.bus && (await makeBus(options.bus, createBusObserver(metrics, log)));
  const differenceLog = createDifferenceLog(log);
  if (bus !== undefined) metrics.watchBus(() => bus.feeds);
  const restParts = { metrics, log, differenceLog, callers, bus };
  const rest: Rest = orClose(bus, () => createRest(restOptionsOf(options, restParts)));
  metrics.watchOrigins(() => rest.loads());
  if (options.webAssembly === false) printWithoutWebAssembly(rest.types);
  let metricsServer: SideServer | undefined;
  let diagnosticsServer: SideServer | undefined;
  const closeOthers = () =>
    Promise.all([
      rest.close().then(() => bus?.close()),
      callers?.close(),
      options.recorder?.close?.(),
      metricsServer?.close(),
      diagnosticsServer?.close(),
    ]);
  try {
    const shown = { loads: () => rest.loads(), differences: () => differenceLog.list() };
    diagnosticsServer = diagnostics && (await startDiagnosticsServer(log, diagnostics, shown));
    if (metricsPlace !== undefined) metrics.watchProcess();
    metricsServer = await serveMetrics(metrics, metricsPlace);
    const explainRoutes = await explainRoutesOf(options, rest);
    const mcpEndpoint = mcpEndpointOf(options.mcp, rest, () => commentsOf(options.adapters));
    const started = await startServer({
      ...serverOptionsOf(options, rest, metrics, callers),
      explainRoutes,
      mcpEndpoint,
    });
    // The metrics are served until the end, because operators need them during the drain as well.
    const close = async (closeOptions?: CloseOptions) => {
      await started.close(closeOptions).finally(closeOthers);
    };
    return {
      ...started,
      metricsUrl: metricsServer?.url,
      diagnosticsUrl: diagnosticsServer?.url,
      metrics: () => metrics.snapshot(),
      close,
    };
  } catch (error) {
    await closeOthers();
    throw error;
  }
}

/** Creates the calls of a gateway that does not listen. Nobody is authorized: its user owns the process. */
export function createLocalGateway(options: GatewayOptions) {
  const { adapters, log = silentLogger() } = options;
  const metrics = new Metrics({}, adapters);
  const restParts = {
    metrics,
    log,
    differenceLog: createDifferenceLog(log),
    callers: undefined,
    bus: undefined,
  };
  const rest = createRest(restOptionsOf(options, restParts));
  const { callOptions, stop } = createLocalCalls(serverOptionsOf(options, rest, metrics, undefined));
  const close = async () => {
    stop();
    await rest.close();
  };
  return { rest, callOptions, comments: () => commentsOf(adapters), close };
}

/** Creates the log of differences. The first sighting of each is an event of the call's span. */
function createDifferenceLog(log: Logger): DifferenceLog {
  return new DifferenceLog(log, {
    onFirst: (difference) => currentCall()?.trace.event("connect_rest.difference", { ...difference }),
  });
}

/** The components that upstream calls use, and to which they report. */
interface RestParts {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly differenceLog: DifferenceLog;
  readonly callers: PreparedAuthorization<GatewayUpstream> | undefined;
  readonly bus: ProcessBus | undefined;
}

/**
 * Returns the caller authorization and the callers' upstream credentials; undefined if callers are not
 * authorized.
 */
async function callersOf(
  options: GatewayOptions,
  rest: () => Rest,
  metrics: Metrics,
  log: Logger,
): Promise<PreparedAuthorization<GatewayUpstream> | undefined> {
  const { authorization, signIn, adapters, upstreams, explain = false } = options;
  if (authorization === undefined) return undefined;
  const parts = { options: authorization, signIn, adapters, upstreams, explain, rest, log, metrics };
  return prepareCallers(parts, options);
}

/** Returns the options for calling upstreams, including the reports to the log and the metrics. */
function restOptionsOf(
  options: GatewayOptions,
  { metrics, log, differenceLog, callers, bus }: RestParts,
): RestOptions {
  const { adapters, upstreams, types, differences, dispatcher, fetch, recorder } = options;
  return {
    adapters,
    upstreams: withTracedCredentials(
      callers === undefined ? upstreams : withRightsOfCallers(callers.upstreams),
    ),
    types,
    strict: options.strict ?? false,
    differences,
    recorder,
    scanner: options.webAssembly ?? true,
    dispatcher,
    fetch,
    timeoutMs: LONGEST_TIMEOUT_MS,
    // the gateway enforces its own limit
    watch: { ...options.watch, maxWatchers: MAX_WATCHERS, bus, asCaller: asCurrentSubject },
    onRequest: (report) =>
      observeRequest(report, metrics, upstreams[report.upstream]?.traceContext !== false),
    onDifference: (report) => {
      metrics.differed(report);
      differenceLog.record(report);
    },
    callerOf: () => currentCall()?.key,
    onCall: ({ upstream, droppedHeaders }) => {
      if (droppedHeaders > 0) metrics.headersDropped(upstream, droppedHeaders);
    },
    onBreaker: (report) => {
      metrics.breakerChanged(report);
      logBreaker(log, report);
    },
  };
}

/** Returns the options of the server for the adapters and additional routes. */
function serverOptionsOf(
  options: GatewayOptions,
  rest: Rest,
  metrics: Metrics,
  callers: RestParts["callers"],
): ServerOptions {
  const { adapters, upstreams, routes, fastPath = true, ...others } = options;
  return {
    ...others,
    // streams that watch feeds do not end on their own
    onDrain: () => {
      rest.drain();
      options.onDrain?.();
    },
    metrics,
    authorization: callers?.start,
    routes: (router) => {
      // no interceptor of the gateway reads response messages
      rest.routes(router, {
        carryBytes: true,
        hasCallerDeadline: ({ values }) => values.get(callKey)?.deadline.isClientBound ?? false,
      });
      routes?.(router);
    },
    types: rest.types,
    ...(fastPath && { unaryOf: unaryOf(rest), streamOf: streamOf(rest) }),
    methodTimeout: timeoutsOf(adapters),
    isWatch: watchesOf(adapters),
    shareOf: sharesOf(adapters, upstreams),
    comments: () => commentsOf(adapters),
  };
}

/** Creates an object that uses a bus. If that fails, closes the bus, since nothing else would. */
function orClose<T>(bus: ProcessBus | undefined, make: () => T): T {
  try {
    return make();
  } catch (error) {
    // not awaited, because nothing has been sent to the bus yet
    void bus?.close();
    throw error;
  }
}

async function serveMetrics(
  metrics: Metrics,
  { host, port }: MetricsPlace = {},
): Promise<SideServer | undefined> {
  return port === undefined ? undefined : startMetricsServer(metrics, { host, port });
}

/**
 * Logs a state change of a circuit breaker: as a warning when the circuit opens, and with the caller if the
 * circuit is for a single caller.
 */
function logBreaker(log: Logger, { upstream, origin, state, cooldownMs, caller }: BreakerReport): void {
  const line = {
    upstream,
    origin,
    state,
    ...(cooldownMs === undefined ? {} : { cooldownMs }),
    ...(caller === undefined ? {} : callerInLog(caller)),
  };
  if (state === "open") {
    log.warn(line, "breaker");
  } else {
    log.info(line, "breaker");
  }
}

/** Returns a function that finds the adapters' unary methods, which are called without a handler. */
function unaryOf(rest: Rest): (method: DescMethod) => UnaryMethod | undefined {
  const methods = new Map<DescMethod, UnaryMethod>();
  for (const { methods: adapters } of rest.adapters) {
    for (const adapter of Object.values(adapters)) {
      if (adapter.kind !== "unary") continue;
      methods.set(adapter.method, (message, context) => rest.call(adapter, message, context));
    }
  }
  return (method) => methods.get(method);
}

/** Returns a function that finds the adapters' server streams, which are called without a handler. */
function streamOf(rest: Rest): (method: DescMethod) => StreamMethod | undefined {
  const methods = new Map<DescMethod, StreamMethod>();
  for (const { methods: adapters } of rest.adapters) {
    for (const adapter of Object.values(adapters)) {
      if (adapter.kind === "unary" || adapter.kind === "upload") continue;
      methods.set(adapter.method, {
        call: (message, context) => rest.stream(adapter, message, context),
        isShared: adapter.kind === "poll",
        ...(adapter.kind === "poll" &&
          adapter.feed !== undefined && {
            watch: (message, context, onReady) => rest.watch(adapter, message, context, onReady),
          }),
      });
    }
  }
  return (method) => methods.get(method);
}

function sharesOf(
  adapters: readonly ServiceAdapter[],
  upstreams: GatewayOptions["upstreams"],
): (method: DescMethod) => UpstreamShare | undefined {
  const shares = new Map<DescMethod, UpstreamShare>(
    adapters.flatMap(({ methods }) =>
      Object.values(methods).map(({ method, rules: { upstream } }) => {
        const callsInFlight = upstreams[upstream]?.callsInFlight ?? DEFAULT_UPSTREAM_CALLS;
        return [method, { upstream, callsInFlight }] as const;
      }),
    ),
  );
  return (method) => shares.get(method);
}

function watchesOf(adapters: readonly ServiceAdapter[]): (method: DescMethod) => boolean {
  const all = adapters.flatMap(({ methods }) => Object.values(methods));
  const watches = new Set(all.filter(({ kind }) => kind === "poll").map(({ method }) => method));
  return (method) => watches.has(method as never);
}

function timeoutsOf(adapters: readonly ServiceAdapter[]): MethodTimeout {
  const methods = new Map(adapters.map(({ service, methods }) => [service.typeName, methods]));
  return (method) => methods.get(method.parent.typeName)?.[method.localName]?.rules.timeoutMs;
}

async function commentsOf(adapters: readonly ServiceAdapter[]): Promise<ReadonlyMap<string, string>> {
  const all = await Promise.all(adapters.map(commentTexts));
  return new Map(all.flatMap((texts) => [...texts]));
}
