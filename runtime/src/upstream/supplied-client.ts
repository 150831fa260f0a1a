import type { InvalidOption } from "../errors/check-option.ts";
import type { FetchFunction } from "../http/fetch-function.ts";

/**
 * An undici Dispatcher of any major version since 5: `MockAgent`, `ProxyAgent`, an `Agent` with custom
 * options.
 */
export interface UpstreamDispatcher {
  dispatch(options: never, handler: never): unknown;
}

/** The client that sends requests in place of the runtime's own connections. */
export interface ClientOptions {
  /**
   * An undici Dispatcher for all requests. It manages its own connections, so `connections`,
   * `connectTimeoutMs`, `tls` and `proxy` do not apply. All other options apply, but the addresses of
   * redirects cannot be checked. `close` does not close the dispatcher. Default: the runtime's own
   * connections.
   */
  readonly dispatcher?: UpstreamDispatcher | undefined;
  /**
   * A `fetch` function that is called once for each request. The limitations of `dispatcher` also apply, and
   * `headersTimeoutMs` includes connecting. Default: the runtime's own connections.
   */
  readonly fetch?: FetchFunction | undefined;
}

/** A dispatcher, or a `fetch`, in place of the runtime's own connections. */
export type SuppliedClient =
  | { readonly kind: "dispatcher"; readonly dispatcher: UpstreamDispatcher }
  | { readonly kind: "fetch"; readonly fetch: FetchFunction };

/**
 * Returns the dispatcher or the `fetch` in the options, or undefined if there is neither.
 *
 * @param invalid creates the error for an option
 */
export function resolveClient(
  { dispatcher, fetch, ...others }: ClientOptions & { readonly tls?: unknown; readonly proxy?: unknown },
  invalid: InvalidOption,
): SuppliedClient | undefined {
  if (dispatcher === undefined && fetch === undefined) return undefined;
  const option = dispatcher === undefined ? "fetch" : "dispatcher";
  const ignored = (["tls", "proxy"] as const).find((name) => others[name]);
  if (ignored !== undefined) {
    throw invalid(ignored, `none beside \`${option}\`, which has its own connections`, "one");
  }
  if (dispatcher === undefined) {
    if (typeof fetch === "function") return { kind: "fetch", fetch };
    throw invalid("fetch", "a function", typeof fetch);
  }
  if (fetch !== undefined) throw invalid("fetch", "either `fetch` or `dispatcher`", "both");
  if (typeof dispatcher === "object" && typeof dispatcher?.dispatch === "function") {
    return { kind: "dispatcher", dispatcher };
  }
  throw invalid("dispatcher", "a Dispatcher of undici", dispatcher === null ? "null" : typeof dispatcher);
}

/**
 * Reports whether the runtime's own connections cannot work here: Bun replaces undici with an implementation
 * that cannot connect, and the sockets of Cloudflare Workers lack `onread`.
 */
function lacksConnections(): boolean {
  return "bun" in process.versions || globalThis.navigator?.userAgent === "Cloudflare-Workers";
}

/**
 * Returns the default client of the platform: the platform's `fetch` if the runtime's own connections cannot
 * work. Otherwise returns undefined, which means the runtime's own connections.
 *
 * @param invalid creates the error for an option
 */
export function clientOfPlatform(
  options: { readonly tls?: unknown; readonly proxy?: unknown },
  invalid: InvalidOption,
  isFetchOnly = lacksConnections(),
): SuppliedClient | undefined {
  if (!isFetchOnly) return undefined;
  // Workers require that `fetch` is called as a function, not as a method of another object.
  return resolveClient({ ...options, fetch: (...request) => fetch(...request) }, invalid);
}
