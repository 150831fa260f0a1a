import type { CredentialsFunction, UpstreamOptions } from "connect-rest-runtime";
import { traced } from "../trace/request-trace.ts";

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
