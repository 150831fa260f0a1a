import { setImmediate } from "node:timers/promises";
import { createRegistry, type DescMethod, type DescService, type Registry } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { Admission, type UpstreamShare } from "./admission/admission.ts";
import { HeldBytes } from "./admission/held-bytes.ts";
import { HeldResponses } from "./admission/held-responses.ts";
import { OverloadMonitor } from "./admission/overload.ts";
import type { Load } from "./admission/process-load.ts";
import { Watchers } from "./admission/watchers.ts";
import type { CallerAuthorization, ServerParts } from "./authorization/caller-authorization.ts";
import { REQUEST_ID_HEADER, requestIdOf } from "./call/caller.ts";
import type { MethodTimeout } from "./call/deadline.ts";
import { outcomeOf } from "./call/outcome.ts";
import type { FastMethods } from "./fast-path/fast-call.ts";
import { Health as HealthService } from "./gen/grpc/health/v1/health_pb.ts";
import { ServerReflection as ReflectionV1 } from "./gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "./gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "./health/health.ts";
import { type LimitOptions, LiveLimits, withDefaultLimits } from "./limits.ts";
import {
  type Certificate,
  type CertificateFiles,
  expiryOf,
  readCertificate,
  watchCertificate,
} from "./listener/certificate.ts";
import { createGuard } from "./listener/guard.ts";
import { hostsOf, isLoopback, OPEN_TO_ALL } from "./listener/hosts.ts";
import type { Exchange, HttpRequest, HttpResponse } from "./listener/http.ts";
import { createListener } from "./listener/listener.ts";
import type { ProxyOptions } from "./listener/proxies.ts";
import { UNCACHED } from "./listener/refusal.ts";
import { logCall } from "./log/call-log.ts";
import { type Logger, silentLogger } from "./log/logger.ts";
import { createRefusalLog } from "./log/refusal-log.ts";
import { standardError } from "./log/standard-streams.ts";
import { Metrics } from "./metrics/metrics.ts";
import { createCors } from "./pages/cors.ts";
import type { Examples } from "./pages/example.ts";
import { createPages } from "./pages/pages.ts";
import type { ServiceComments } from "./pages/start-page.ts";
import { refuse } from "./protocol/refuse.ts";
import { createValidation, type Validation } from "./protocol/validate.ts";
import { reflectionRoutes, type Schema } from "./reflection/reflection.ts";
import { createRpc } from "./rpc/rpc.ts";

export interface ServerOptions {
  /** The services to serve; health and reflection are added. */
  readonly routes: (router: ConnectRouter) => void;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /**
   * The hosts of requests that are served; `*` is every one. Default, listening on loopback: its names and the address.
   * Elsewhere there is no default.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Default 0, which picks a free one. */
  readonly port?: number;
  /** Speak TLS with this certificate; its files are read again when they change. Default: cleartext. */
  readonly tls?: CertificateFiles | undefined;
  /** Trusted proxies. Default: none. */
  readonly proxies?: ProxyOptions | undefined;
  readonly limits?: LimitOptions;
  /** Origins whose pages may call from a browser; `*` is every one. Default: none. */
  readonly origins?: readonly string[];
  /** Further request headers that these pages may send, in lower case. */
  readonly corsHeaders?: readonly string[];
  /** Methods of the routes that the fast path can call without their handlers. Default: none. */
  readonly unaryOf?: FastMethods["unaryOf"];
  /** Server streams of the routes that the fast path can call without their handlers. Default: none. */
  readonly streamOf?: FastMethods["streamOf"];
  /** The types that a google.protobuf.Any in JSON may have. Default: none. */
  readonly types?: Registry;
  /** Default: methods have no deadline of their own. */
  readonly methodTimeout?: MethodTimeout;
  /** By the full name of the service, for the start page. */
  readonly comments?: ReadonlyMap<string, ServiceComments>;
  readonly examples?: Examples;
  /** Whether there is a start page. Default: true. */
  readonly pages?: boolean | undefined;
  /**
   * Whether the services and their schema can be learned by gRPC reflection, by the list of health, and from errors of
   * unknown paths. Default: true.
   */
  readonly reflection?: boolean | undefined;
  /** The upstream that a method calls, and how many calls of it may run. Default: none. */
  readonly shareOf?: (method: DescMethod) => UpstreamShare | undefined;
  /** Whether a method watches a feed: its streams have a limit of their own. Default: none does. */
  readonly isWatch?: (method: DescMethod) => boolean;
  /** Told after the notice of a drain: streams that wait for news may end in their own way. Default: nothing. */
  readonly onDrain?: (() => void) | undefined;
  /** How busy the process is, for tests. */
  readonly load?: () => Load;
  /** Requires a token with every call, and issues them. Default: whoever reaches the server may call. */
  readonly authorization?: ((parts: ServerParts) => CallerAuthorization) | undefined;
  /** Counts what happens. */
  readonly metrics?: Metrics;
  /** Default: nothing is logged. */
  readonly log?: Logger;
}

/** A server that listens. */
export interface Server {
  /** `http://host:port`, or `https:`. */
  readonly url: string;
  readonly port: number;
  /** The services that are served, without health and reflection. */
  readonly services: readonly DescService[];
  /** Resolves when what checks the constraints of messages is loaded; calls are served before. */
  readonly warm: Promise<void>;
  /** Calls that run or wait now. */
  calls(): number;
  /** Takes over what can change while the server runs. */
  reload(change: ServerChange): void;
  /** Fails readiness, lets calls in flight finish, and resolves when the last connection is closed. */
  close(options?: CloseOptions): Promise<void>;
}

/** What can change while a server runs. */
export interface ServerChange {
  /** All of them; those that are absent get their defaults. Limits that do not reload stay. */
  readonly limits?: LimitOptions | undefined;
  /** Absent: the certificate stays. */
  readonly tls?: CertificateFiles | undefined;
}

/** How a server ends. */
export interface CloseOptions {
  /** Stop listening at once, without `drainNoticeMs`. Default: false. */
  readonly skipNotice?: boolean;
  /**
   * Another process listens in its place: readiness does not fail, nothing new is taken, and open connections have two seconds for a
   * last request. Default: false.
   */
  readonly isReplaced?: boolean;
}

/** For how long clients may still send on connections whose process has been replaced, in milliseconds. */
const REPLACED_NOTICE_MS = 2000;

const OWN_SERVICES: readonly DescService[] = [HealthService, ReflectionV1, ReflectionV1Alpha];

/** Starts a server for the routes. Rejects when the port cannot be had. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const reflection = options.reflection ?? true;
  const host = options.host ?? "127.0.0.1";
  const liveLimits = new LiveLimits(withDefaultLimits(options.limits, isLoopback(host)));
  const limits = liveLimits.current;
  const log = options.log ?? silentLogger();
  const metrics = options.metrics ?? new Metrics();
  const overload = new OverloadMonitor(limits, options.load);
  const admission = new Admission(limits, () => overload.current);
  const watchers = new Watchers(limits, () => overload.current);
  const logRefusal = createRefusalLog(log);
  const onLimit = (limit: string) => {
    metrics.refused(limit);
    logRefusal(limit);
  };
  const authorization = options.authorization?.({ limits, log, metrics, onLimit });
  const guard = createGuard({
    hosts: hostsOf(host, options.hosts),
    origins: options.origins ?? [],
    isShared: authorization?.isShared,
  });
  const health = new Health(limits, onLimit);
  const streamsEnd = new AbortController();
  const validation = createValidation();
  const rpc = createRpc({
    limits,
    routes: (router) => {
      options.routes(router);
      router.service(HealthService, health.routes());
      if (reflection) reflectionRoutes(router, () => (schema ??= describe(rpc.services)));
    },
    interceptors: [validation.interceptor],
    validation,
    unaryOf: options.unaryOf ?? (() => undefined),
    streamOf: options.streamOf ?? (() => undefined),
    types: options.types ?? createRegistry(),
    methodTimeout: options.methodTimeout ?? (() => undefined),
    streamsEnd: streamsEnd.signal,
    isListed: reflection,
    admission,
    watchers,
    isWatch: options.isWatch ?? (() => false),
    heldBytes: new HeldBytes(limits),
    heldResponses: new HeldResponses(limits, () => onLimit("heldResponseBytes")),
    shareOf: options.shareOf ?? (() => undefined),
    isAlwaysServed: (service) => service === HealthService,
    authenticate: authorization?.authenticate,
    onRejected: (status) => metrics.rejected(status),
    onRefused: (call, { limit, error }) => {
      const code = codeToString(error.code);
      call.trace.end(code);
      metrics.called(call, code);
      onLimit(limit);
    },
    onError: (error) => reportError(log, error, "request failed"),
    onDone: (call, status, defect) => {
      const outcome = outcomeOf(call, status, defect);
      call.trace.end(outcome.code);
      metrics.called(call, outcome.code);
      logCall(log, call, outcome);
    },
  });
  const names = rpc.services.map((service) => service.typeName);
  let schema: Promise<Schema> | undefined;
  health.serve(names, reflection && authorization?.open.reflection !== false ? names : []);
  const services = rpc.services.filter((service) => !OWN_SERVICES.includes(service));
  const start = {
    services,
    comments: options.comments ?? new Map(),
    examples: options.examples ?? {},
    hasReflection: reflection,
  };
  const hasPages = options.pages !== false && authorization?.open.pages !== false;
  const pages = createPages(hasPages ? start : undefined, health);
  const corsHeaders = [
    ...(options.corsHeaders ?? []),
    ...(authorization === undefined ? [] : ["authorization"]),
  ];
  const cors = createCors(options.origins ?? [], corsHeaders);
  let certificate = options.tls && readCertificate(options.tls);
  const useCertificate = (next: Certificate) => {
    listener.useCertificate(next);
    certificate = next;
  };
  const listener = createListener({
    limits,
    certificate,
    handler: (request: HttpRequest, response: HttpResponse, exchange: Exchange) => {
      const requestId = requestIdOf(request.headers[REQUEST_ID_HEADER]);
      const { origin } = exchange;
      const refusal = guard(request, origin);
      const caller = { requestId, client: origin.client };
      // nearly all calls, which get all of their headers at once
      if (
        refusal === undefined &&
        isPlainPost(request) &&
        rpc.serveUnary(request, response, caller, exchange)
      ) {
        return;
      }
      response.setHeader(REQUEST_ID_HEADER, requestId);
      if (request.method === "GET" || request.method === "HEAD") {
        for (const [name, value] of Object.entries(UNCACHED)) response.setHeader(name, value);
      }
      if (refusal !== undefined) {
        metrics.rejected(refusal.status);
        refuse(request, response, refusal);
        return;
      }
      if (authorization?.serve(request, response, origin) === true) return;
      if (cors(request, response) || pages(request, response, origin)) return;
      rpc.serve(request, response, caller, exchange);
    },
    refuse,
    proxies: options.proxies,
    onError: (error) => reportError(log, error, "request failed"),
    onLimit,
    onRejected: (status) => metrics.rejected(status),
    onTlsFailure: () => metrics.tlsFailed(),
    onViolation: () => metrics.violated(),
  });
  metrics.watch({
    callsInFlight: () => admission.running,
    callsQueued: () => admission.queued,
    watchers: () => watchers.size,
    connections: () => listener.connections(),
    logLinesDropped: () => standardError().droppedLines,
    certificateExpiry: certificate && (() => expiryOf(certificate)),
  });
  const { port } = await listener.listen(options.port ?? 0, host).catch(async (error: unknown) => {
    await authorization?.close();
    throw error;
  });
  if (!isLoopback(host) && authorization === undefined) log.warn({ host }, OPEN_TO_ALL);
  let stopWatching = options.tls && keepCertificate(options.tls, useCertificate, log);
  return {
    url: `${options.tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    services,
    warm: warmUp(validation, services, log),
    calls: () => admission.running + admission.queued,
    reload: (change) => {
      if (change.tls !== undefined) {
        useCertificate(readCertificate(change.tls));
        stopWatching?.();
        stopWatching = keepCertificate(change.tls, useCertificate, log);
      }
      liveLimits.reload(withDefaultLimits(change.limits, isLoopback(host)));
    },
    close: async ({ skipNotice = false, isReplaced = false } = {}) => {
      if (!isReplaced) health.drain();
      const usualMs = isReplaced ? REPLACED_NOTICE_MS : limits.drainNoticeMs;
      const noticeMs = skipNotice ? 0 : usualMs;
      const timers = [
        setTimeout(() => options.onDrain?.(), noticeMs),
        setTimeout(() => streamsEnd.abort(), noticeMs + limits.drainStreamsMs),
      ];
      await listener.drain(noticeMs, isReplaced);
      for (const timer of timers) clearTimeout(timer);
      stopWatching?.();
      overload.stop();
      await authorization?.close();
    },
  };
}

/** What reflection says: it takes long to put together, and few ask. */
async function describe(services: readonly DescService[]): Promise<Schema> {
  const { createFileIndex } = await import("./reflection/file-index.ts");
  return { services: services.map(({ typeName }) => typeName), files: createFileIndex(services) };
}

/** Begins in another turn, when whoever started the server has been told that it listens. */
async function warmUp(validation: Validation, services: readonly DescService[], log: Logger): Promise<void> {
  await setImmediate();
  await validation.warmUp(services).catch((error: unknown) => reportError(log, error, "warm-up failed"));
}

/** Whether a request is no page's, which CORS has something to say about, and nothing that is read by GET. */
function isPlainPost({ method, headers }: HttpRequest): boolean {
  return method === "POST" && headers.origin === undefined;
}

function keepCertificate(
  files: CertificateFiles,
  use: (certificate: Certificate) => void,
  log: Logger,
): () => void {
  return watchCertificate(
    files,
    (certificate) => {
      use(certificate);
      log.info({ certificate: files.certificate }, "certificate reloaded");
    },
    (error) => log.error({ cause: String(error) }, "certificate not reloaded, the one before is kept"),
  );
}

function reportError(log: Logger, error: unknown, text: string): void {
  log.error({ cause: error instanceof Error ? error.stack : String(error) }, text);
}
