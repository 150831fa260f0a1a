import type { CredentialsFunction, UpstreamOptions } from "connect-rest-runtime";
import { traced } from "../trace/request-trace.ts";

/** An upstream of the gateway. */
export interface GatewayUpstream extends UpstreamOptions {
  /**
   * Whether the access token of the `oauth2` credentials belongs to the application and not to a person, so
   * that clients may use the token when they act for themselves. Default: false.
   */
  readonly isApplicationToken?: boolean | undefined;
  /** The maximum number of concurrent calls to the upstream; further calls wait. Default: 1024. */
  readonly callsInFlight?: number | undefined;
  /** Whether requests to the upstream carry the trace context of their calls. Default: true. */
  readonly traceContext?: boolean | undefined;
}

/** Upstreams by name. */
export type GatewayUpstreams = Readonly<Record<string, GatewayUpstream>>;

/** Returns the runtime's options for upstreams, without the options that exist only in the gateway. */
export function runtimeOptionsOf(upstreams: GatewayUpstreams): Record<string, UpstreamOptions> {
  const entries = Object.entries(upstreams).map(([name, upstream]) => {
    const { isApplicationToken: _, callsInFlight: __, traceContext: ___, ...options } = upstream;
    return [name, options] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the runtime's options for upstreams, with credentials functions that run outside of the traced
 * requests.
 */
export function withTracedCredentials(upstreams: GatewayUpstreams): Record<string, UpstreamOptions> {
  const entries = Object.entries(runtimeOptionsOf(upstreams)).map(([name, options]) => {
    const { credentials } = options;
    if (typeof credentials !== "function") return [name, options] as const;
    const provide: CredentialsFunction = (context) => traced(() => credentials(context));
    return [name, { ...options, credentials: provide }] as const;
  });
  return Object.fromEntries(entries);
}
