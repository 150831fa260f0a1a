import type { Clock } from "connect-rest-codec/internal";

/** The connection to an authorization server. */
export interface OAuthHttp {
  /** Replaces the global `fetch`, e.g. to use a proxy. It must respect `redirect: "manual"`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Aborts running requests, which reject with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** For tests. Default: the real clock. */
  readonly clock?: Clock | undefined;
}
