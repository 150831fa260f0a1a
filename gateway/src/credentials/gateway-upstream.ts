import type {
  CredentialsFunction,
  RequestObserver,
  RequestReport,
  UpstreamOptions,
} from "connect-rest-runtime";
import { currentCall } from "../call/call.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { outcomeOfRequest } from "../trace/request-outcome.ts";
import { startRequestTrace, traced } from "../trace/request-trace.ts";

/** An upstream of the gateway. */
export interface GatewayUpstream extends UpstreamOptions {
  /**
   * Whether the access token of its `oauth2` credentials is the application's own, so that clients that call
   * for themselves may use it. Default: false; it is a person's.
   */
  readonly isApplicationToken?: boolean | undefined;
  /** Calls of it that run at the same time; further ones wait. Default: 1024. */
  readonly callsInFlight?: number | undefined;
  /** Whether its requests carry the trace context of their calls. Default: true. */
  readonly traceContext?: boolean | undefined;
}

/** Upstreams by their names. */
export type GatewayUpstreams = Readonly<Record<string, GatewayUpstream>>;

/** What the runtime gets of upstreams: their options without those that are the gateway's own. */
export function runtimeOptionsOf(upstreams: GatewayUpstreams): Record<string, UpstreamOptions> {
  const entries = Object.entries(upstreams).map(([name, upstream]) => {
    const { isApplicationToken: _, callsInFlight: __, traceContext: ___, ...options } = upstream;
    return [name, options] as const;
  });
  return Object.fromEntries(entries);
}

/** What the runtime gets of the upstreams. Functions for credentials run outside of their requests. */
export function withTracedCredentials(upstreams: GatewayUpstreams): Record<string, UpstreamOptions> {
  const entries = Object.entries(runtimeOptionsOf(upstreams)).map(([name, options]) => {
    const { credentials } = options;
    if (typeof credentials !== "function") return [name, options] as const;
    const provide: CredentialsFunction = (context) => traced(() => credentials(context));
    return [name, { ...options, credentials: provide }] as const;
  });
  return Object.fromEntries(entries);
}

/** Counts, times and traces one request to an upstream. */
export function observeRequest(
  report: RequestReport,
  metrics: Metrics,
  upstream: GatewayUpstream | undefined,
): RequestObserver {
  const call = currentCall();
  if (call !== undefined) {
    call.requests += 1;
    if (report.isRetry) call.retries += 1;
  }
  const startedAt = performance.now();
  const trace = startRequestTrace(call, report);
  return {
    headers: upstream?.traceContext === false ? undefined : trace.headers,
    run: trace.run,
    onEnd: (end) => {
      // the last response counts: a stream that is left between two pages had one
      if (call !== undefined && end.status !== undefined) call.upstreamStatus = end.status;
      metrics.requested(report, outcomeOfRequest(end), performance.now() - startedAt);
      trace.end(end);
    },
  };
}
