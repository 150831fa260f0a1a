import type { Clock } from "connect-rest-codec/internal";

/** How an authorization server is reached. */
export interface OAuthHttp {
  /**
   * Sends requests in place of the global `fetch`, e.g. by a proxy.
   * It must not follow redirects where it is told so.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Ends what is under way; rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** For tests. Default: the real clock. */
  readonly clock?: Clock | undefined;
}
