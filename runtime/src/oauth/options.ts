import type { Clock } from "connect-rest-codec/internal";

/** The options for requests to an authorization server. */
export interface OAuthHttp {
  /** Replaces the global `fetch`, e.g. to use a proxy. It must support `redirect: "manual"`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Aborts running requests, which then reject with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** For tests. Default: the real clock. */
  readonly clock?: Clock | undefined;
}
