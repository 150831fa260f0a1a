import type { InvalidOption } from "../errors/check-option.ts";
import type { FetchFunction } from "../http/fetch-function.ts";

/**
 * A Dispatcher of undici, of any major version since 5: `MockAgent`, `ProxyAgent`,
 * an `Agent` with options of its own.
 */
export interface UpstreamDispatcher {
  dispatch(options: never, handler: never): unknown;
}

/** What sends requests in place of our own connections. */
export interface ClientOptions {
  /**
   * A Dispatcher of undici for all requests. It has its own connections, so `connections`,
   * `connectTimeoutMs`, `tls` and `proxy` do not apply; all else does, but that addresses behind redirects
   * cannot be checked. It is not closed by `close`. Default: our own connections.
   */
  readonly dispatcher?: UpstreamDispatcher | undefined;
  /**
   * A `fetch` for all requests, called once for each. What is said of `dispatcher` holds for it too;
   * `headersTimeoutMs` includes the connection. Default: our own connections.
   */
  readonly fetch?: FetchFunction | undefined;
}

/** A dispatcher, or a `fetch`, in place of our own connections. */
export type SuppliedClient =
  | { readonly kind: "dispatcher"; readonly dispatcher: UpstreamDispatcher }
  | { readonly kind: "fetch"; readonly fetch: FetchFunction };

/**
 * The dispatcher or the `fetch` in the options; undefined where there is neither.
 *
 * @param invalid makes the error for an option
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
 * What sends requests where nothing is supplied: our own connections (undefined), but on Bun its `fetch`,
 * since Bun has a stand-in for undici that cannot connect.
 *
 * @param invalid makes the error for an option
 */
export function clientOfPlatform(
  options: { readonly tls?: unknown; readonly proxy?: unknown },
  invalid: InvalidOption,
  isBun = "bun" in process.versions,
): SuppliedClient | undefined {
  return isBun ? resolveClient({ ...options, fetch }, invalid) : undefined;
}
