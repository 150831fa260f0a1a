import { setImmediate } from "node:timers/promises";
import { createRegistry, type DescService } from "@bufbuild/protobuf";
import { Admission } from "./admission/admission.ts";
import { HeldBytes } from "./admission/held-bytes.ts";
import { HeldResponses } from "./admission/held-responses.ts";
import { OverloadMonitor } from "./admission/overload.ts";
import { Watchers } from "./admission/watchers.ts";
import { AuthorizedStreams } from "./authorization/authorized-streams.ts";
import type { CallerAuthorization } from "./authorization/caller-authorization.ts";
import { failuresOf, type RecentFailures } from "./console/recent-failures.ts";
import { Health as HealthService } from "./gen/grpc/health/v1/health_pb.ts";
import { Health } from "./health/health.ts";
import { type Limits, LiveLimits, withDefaultLimits } from "./limits.ts";
import { DEFAULT_HOST, isLoopback, OPEN_TO_ALL } from "./listener/hosts.ts";
import { createListener } from "./listener/listener.ts";
import { type Logger, silentLogger } from "./log/logger.ts";
import { standardError } from "./log/standard-streams.ts";
import { Metrics } from "./metrics/metrics.ts";
import { createValidation, type Validation } from "./protocol/validate.ts";
import { createRpc, type Rpc } from "./rpc/rpc.ts";
import { createEntrance, type Entrance } from "./server/entrance.ts";
import { KeptCertificate } from "./server/kept-certificate.ts";
import type { CloseOptions, Server, ServerOptions } from "./server/options.ts";
import { isHealth, ownRoutes, pathsOf, withoutOwn } from "./server/own-services.ts";
import { createReports, type Reports, reportError } from "./server/reports.ts";

export type { CloseOptions, Server, ServerChange, ServerOptions } from "./server/options.ts";

/** How long connections of a replaced process still accept requests, in milliseconds. */
const REPLACED_NOTICE_MS = 2000;

/** The objects that the parts of a server share. */
interface Shared {
  readonly options: ServerOptions;
  readonly host: string;
  readonly limits: Limits;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly reports: Reports;
  readonly overload: OverloadMonitor;
  readonly admission: Admission;
  readonly watchers: Watchers;
  readonly authorization: CallerAuthorization | undefined;
  readonly health: Health;
  readonly validation: Validation;
  /** Ends streaming calls when aborted. */
  readonly streamsEnd: AbortController;
  readonly certificate: KeptCertificate | undefined;
}

type Listener = ReturnType<typeof createListener>;

/** Starts a server for the routes. Rejects if the server cannot listen on the port. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const host = options.host ?? DEFAULT_HOST;
  const liveLimits = new LiveLimits(withDefaultLimits(options.limits, isLoopback(host)));
  const failures = failuresOf({ console: options.console, host, hosts: options.hosts });
  const shared = createShared(options, host, liveLimits.current, failures);
  const { admission, authorization, certificate, log, validation } = shared;
  const rpc = createCalls(shared);
  const services = withoutOwn(rpc.services);
  const entrance = createEntrance({ ...shared, rpc, failures, services });
  const listener = createConnections(shared, entrance, services);
  watchParts(shared, listener);
  const { port } = await listener.listen(options.port ?? 0, host).catch(async (error: unknown) => {
    await authorization?.close();
    throw error;
  });
  if (!isLoopback(host) && authorization === undefined) log.warn({ host }, OPEN_TO_ALL);
  if (options.tls !== undefined) certificate?.watch(options.tls, (next) => listener.useCertificate(next));
  const scheme = options.tls === undefined ? "http" : "https";
  const url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    url,
    port,
    consoleUrl: failures ? `${url}/` : undefined,
    services,
    warm: warmUp(validation, services, log),
    calls: () => admission.running + admission.queued,
    failures: () => failures?.latest() ?? [],
    reload: ({ tls, limits }) => {
      if (tls !== undefined) certificate?.replace(tls);
      liveLimits.reload(withDefaultLimits(limits, isLoopback(host)));
    },
    close: (closeOptions) => close(shared, listener, closeOptions),
  };
}

/** Creates the part of a server that makes calls, without a listener. */
export function createLocalCalls(options: ServerOptions): {
  readonly callOptions: Rpc["callOptions"];
  stop(): void;
} {
  const shared = createShared(options, DEFAULT_HOST, withDefaultLimits(options.limits, true));
  return { callOptions: createCalls(shared).callOptions, stop: () => shared.overload.stop() };
}

function createShared(
  options: ServerOptions,
  host: string,
  limits: Limits,
  failures?: RecentFailures,
): Shared {
  const log = options.log ?? silentLogger();
  const metrics = options.metrics ?? new Metrics();
  const reports = createReports(log, metrics, failures);
  const { onLimit } = reports;
  const overload = new OverloadMonitor(limits, options.load, options.random);
  return {
    options,
    host,
    limits,
    log,
    metrics,
    reports,
    overload,
    admission: new Admission(limits, () => overload.rejection()),
    watchers: new Watchers(limits, () => overload.rejection()),
    authorization: options.authorization?.({ limits, log, metrics, onLimit }),
    health: new Health(limits, onLimit),
    validation: createValidation(),
    streamsEnd: new AbortController(),
    certificate: options.tls && new KeptCertificate(options.tls, log),
  };
}

/** Creates the part that serves calls to the routes and to the services of the gateway itself. */
function createCalls(shared: Shared): Rpc {
  const { options, limits, reports, admission, watchers, authorization, health, validation } = shared;
  const { reflection: isListed = true, isWatch = () => false } = options;
  const rpc: Rpc = createRpc({
    limits,
    routes: (router) => {
      options.routes(router);
      options.explainRoutes?.(router, () => rpc.callOptions);
      ownRoutes(router, health, isListed ? () => rpc.services : undefined);
    },
    interceptors: [validation.interceptor],
    validation,
    unaryOf: options.unaryOf ?? (() => undefined),
    streamOf: options.streamOf ?? (() => undefined),
    types: options.types ?? createRegistry(),
    methodTimeout: options.methodTimeout ?? (() => undefined),
    streamsEnd: shared.streamsEnd.signal,
    isListed,
    admission,
    watchers,
    isWatch,
    heldBytes: new HeldBytes(limits),
    heldResponses: new HeldResponses(limits, () => reports.onLimit("heldResponseBytes")),
    shareOf: options.shareOf ?? (() => undefined),
    isAlwaysServed: isHealth,
    authenticate: authorization?.authenticate,
    authorize: authorization?.authorize,
    challenge: authorization?.challenge,
    authorizedStreams:
      authorization &&
      new AuthorizedStreams({
        ended: authorization.ended,
        isEndless: (method) => isWatch(method) || method === HealthService.method.watch,
        onError: reports.onError,
      }),
    ...reports,
  });
  const names = rpc.services.map((service) => service.typeName);
  health.serve(names, isListed && authorization?.open.reflection !== false ? names : []);
  return rpc;
}

function createConnections(shared: Shared, entrance: Entrance, services: readonly DescService[]): Listener {
  const { options, limits, metrics, reports, certificate } = shared;
  const watches = pathsOf(services, options.isWatch ?? (() => false));
  return createListener({
    limits,
    certificate: certificate?.current,
    handler: entrance.serve,
    reject: entrance.reject,
    proxies: options.proxies,
    isWatch: (path) => watches.has(path),
    onError: reports.onError,
    onLimit: reports.onLimit,
    onRejected: reports.onRejected,
    onTlsFailure: () => metrics.tlsFailed(),
    onViolation: () => metrics.violated(),
  });
}

/** Registers the values that are read whenever metrics are rendered. */
function watchParts({ metrics, admission, watchers, certificate }: Shared, listener: Listener): void {
  metrics.watch({
    callsInFlight: () => admission.running,
    callsQueued: () => admission.queued,
    watchers: () => watchers.size,
    connections: () => listener.connections(),
    logLinesDropped: () => standardError().droppedLines,
    certificateExpiry: certificate?.expiry,
  });
}

async function close(
  { options, limits, health, streamsEnd, certificate, overload, authorization }: Shared,
  listener: Listener,
  { skipNotice = false, isReplaced = false }: CloseOptions = {},
): Promise<void> {
  if (!isReplaced) health.drain();
  const usualMs = isReplaced ? REPLACED_NOTICE_MS : limits.drainNoticeMs;
  const noticeMs = skipNotice ? 0 : usualMs;
  const timers = [
    setTimeout(() => options.onDrain?.(), noticeMs),
    setTimeout(() => streamsEnd.abort(), noticeMs + limits.drainStreamsMs),
  ];
  await listener.drain(noticeMs, isReplaced);
  for (const timer of timers) clearTimeout(timer);
  certificate?.stop();
  overload.stop();
  await authorization?.close();
}

/** Warms up the validation in a later turn, once the caller has learned that the server listens. */
async function warmUp(validation: Validation, services: readonly DescService[], log: Logger): Promise<void> {
  await setImmediate();
  await validation.warmUp(services).catch((error: unknown) => reportError(log, error, "warm-up failed"));
}
