import type { DifferenceLevels } from "connect-rest-codec/internal";
import {
  BREAKER_DEFAULTS,
  BREAKER_RANGES,
  type BreakerOptions,
  type BreakerSettings,
} from "../breaker/breaker-options.ts";
import { checkCredentials } from "../credentials/check.ts";
import type { CredentialsSource } from "../credentials/credentials.ts";
import {
  checkGroup,
  checkNames,
  checkNumber,
  checkNumbers,
  type InvalidOption,
  invalidOption,
  type Range,
} from "../errors/check-option.ts";
import {
  RATE_LIMIT_DEFAULTS,
  RATE_LIMIT_RANGES,
  type RateLimitOptions,
  type RateLimitSettings,
} from "../rate-limit/rate-limit-options.ts";
import {
  RETRY_DEFAULTS,
  RETRY_RANGES,
  type RetryOptions,
  type RetrySettings,
} from "../retry/retry-options.ts";
import { VERSION } from "../version.ts";
import { type Base, parseBase } from "./base.ts";
import { type EgressProxy, type ProxySource, resolveProxy } from "./proxy-options.ts";
import { type RedirectOptions, type RedirectSettings, resolveRedirects } from "./redirect-options.ts";
import {
  type ClientOptions,
  clientOfPlatform,
  resolveClient,
  type SuppliedClient,
} from "./supplied-client.ts";
import { resolveTls, type TlsOptions, type TlsSettings } from "./tls-options.ts";

/** The options of an upstream: its address, its credentials, and the limits of exchanges with it. */
export interface UpstreamOptions extends ClientOptions {
  /**
   * The base address, `https://api.example.com`, with an optional path prefix for all methods. It serves
   * every base name that `bases` does not contain.
   */
  readonly baseUrl?: string | undefined;
  /**
   * Base addresses by the names that methods use. Without `baseUrl`, the first address serves methods that
   * name no base address.
   */
  readonly bases?: Readonly<Record<string, string>> | undefined;
  /** Fixed credentials, or a function that provides the credentials of each call. Default: no credentials. */
  readonly credentials?: CredentialsSource | undefined;
  /** The `User-Agent` of every request. Default: `connect-rest-runtime/<version>`. */
  readonly userAgent?: string | undefined;
  /**
   * The `Accept-Encoding` of every request, or `identity` to request no compression. Default: `gzip, br,
   * zstd`, or the default of a `fetch`.
   */
  readonly acceptEncoding?: string | undefined;
  /** The maximum size of a response body in bytes, both before and after decompression. Default: 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * The maximum cost of reading the JSON of a response, or of a record of a stream: 1 for each key, string,
   * number and literal, 8 for each object, 3 for each array, and more for numbers beyond 2^53 and for strings
   * that begin like numbers. A more expensive response fails the call, since it would block all other calls.
   * Default: 1 600 000, about 8 MB of typical JSON.
   */
  readonly maxResponseCost?: number | undefined;
  /**
   * The maximum size of a response body that a method streams to its caller, after decompression, in bytes.
   * Default: no limit, since such a body is never buffered as a whole.
   */
  readonly maxDownloadBytes?: number | undefined;
  /** The maximum size of the head of a response in bytes. Default: 16 KiB. */
  readonly maxHeaderBytes?: number | undefined;
  /**
   * The hosts to which redirects of GET and HEAD are followed, for methods whose rules enable redirects
   * (`redirects`). The address of each connection is checked: a redirect never leads from a public to a
   * private address. Default: `false`; no redirect is followed.
   */
  readonly redirects?: RedirectOptions | false | undefined;
  /**
   * TLS options for the base addresses. Default: the certificate authorities that Node.js trusts, and no
   * client certificate.
   */
  readonly tls?: TlsOptions | undefined;
  /**
   * The proxy for the upstream, or a function that returns the proxy of an origin, e.g.
   * `proxyFromEnvironment(process.env)`. https requests use a tunnel (CONNECT), and http requests are
   * forwarded. `localhost` and the addresses of this machine are always reached directly. Default: no proxy;
   * the environment is not read.
   */
  readonly proxy?: ProxySource | false | undefined;
  /**
   * The time limit for connecting, including TLS, in milliseconds. With a proxy, the limit applies separately
   * to the connection to the proxy, to the proxy's response, and to TLS. Default: 5000.
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The time limit for the head of a response, in milliseconds. A limit above 1 s is accurate to half a
   * second, and a shorter limit to a tenth of it. Default: 30 000.
   */
  readonly headersTimeoutMs?: number | undefined;
  /** The longest pause while a body is received, in milliseconds. Default: 30 000. */
  readonly bodyTimeoutMs?: number | undefined;
  /** The maximum number of connections to each base address. Further calls wait. Default: 128. */
  readonly connections?: number | undefined;
  /** The rules for retries, or `false` to disable retries. */
  readonly retry?: RetryOptions | false | undefined;
  /** The rules of the circuit breaker, or `false` to disable it. */
  readonly breaker?: BreakerOptions | false | undefined;
  /**
   * How the limits that methods declare (`rate_limits`) are enforced, or `false` to ignore them, e.g. for a
   * sandbox.
   */
  readonly rateLimits?: RateLimitOptions | false | undefined;
  /**
   * The levels for differences between the responses of this upstream and their declaration. Default: the
   * levels of all upstreams.
   */
  readonly differences?: DifferenceLevels | undefined;
}

/** The defaults of all upstreams. */
export const UPSTREAM_DEFAULTS = {
  userAgent: `connect-rest-runtime/${VERSION}`,
  acceptEncoding: "gzip, br, zstd",
  maxResponseBytes: 16 * 1024 * 1024,
  // measured: up to this cost, even the most expensive shapes block the process for less than 100 ms
  maxResponseCost: 1_600_000,
  maxHeaderBytes: 16 * 1024,
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 30_000,
  bodyTimeoutMs: 30_000,
  connections: 128,
  retry: RETRY_DEFAULTS,
  breaker: BREAKER_DEFAULTS,
  rateLimits: RATE_LIMIT_DEFAULTS,
} as const;

type Limit = {
  [K in keyof typeof UPSTREAM_DEFAULTS]: (typeof UPSTREAM_DEFAULTS)[K] extends number ? K : never;
}[keyof typeof UPSTREAM_DEFAULTS];

const DOWNLOAD_BYTES: Range = { unit: "bytes", max: Number.MAX_SAFE_INTEGER };

const LIMITS: Readonly<Record<Limit, Range>> = {
  maxResponseBytes: { unit: "bytes", max: 512 * 1024 * 1024 },
  maxResponseCost: { unit: "units", max: Number.MAX_SAFE_INTEGER },
  maxHeaderBytes: { unit: "bytes", max: 16 * 1024 * 1024 },
  connectTimeoutMs: { unit: "milliseconds", max: 2 ** 31 - 1 },
  headersTimeoutMs: { unit: "milliseconds", max: 2 ** 31 - 1 },
  bodyTimeoutMs: { unit: "milliseconds", max: 2 ** 31 - 1 },
  connections: { unit: "connections", max: 65_536 },
};

const NAMES: Readonly<Record<keyof Required<UpstreamOptions>, true>> = {
  baseUrl: true,
  bases: true,
  credentials: true,
  userAgent: true,
  acceptEncoding: true,
  maxResponseBytes: true,
  maxResponseCost: true,
  maxDownloadBytes: true,
  maxHeaderBytes: true,
  redirects: true,
  tls: true,
  proxy: true,
  connectTimeoutMs: true,
  headersTimeoutMs: true,
  bodyTimeoutMs: true,
  connections: true,
  retry: true,
  breaker: true,
  rateLimits: true,
  differences: true,
  dispatcher: true,
  fetch: true,
};

/** The validated limits and headers of an upstream, with defaults. */
export type UpstreamSettings = Readonly<Record<Limit, number>> & {
  readonly userAgent: string;
  /** Undefined if a supplied `fetch` sets the header itself. */
  readonly acceptEncoding: string | undefined;
  /** Undefined for the runtime's own connections. */
  readonly client: SuppliedClient | undefined;
  readonly tls: TlsSettings | undefined;
  /** Returns the proxy of an origin, if any. @throws ConnectError reason UPSTREAM_OPTION_INVALID */
  readonly proxyOf: (origin: string) => EgressProxy | undefined;
  readonly credentials: CredentialsSource;
  /** The base addresses by name. `""` is the default base address. */
  readonly bases: ReadonlyMap<string, Base>;
  /** The base address for names that `bases` does not contain. */
  readonly otherBase: Base | undefined;
  /** Undefined if redirects are not followed. */
  readonly redirects: RedirectSettings | undefined;
  /** Infinity if there is no limit. */
  readonly maxDownloadBytes: number;
  /** Undefined if requests are never retried. */
  readonly retry: RetrySettings | undefined;
  /** Undefined if there is no circuit breaker. */
  readonly breaker: BreakerSettings | undefined;
  /** Undefined if known limits are not enforced. */
  readonly rateLimits: RateLimitSettings | undefined;
};

/** Returns the base address of a method. */
export function baseOf({ bases, otherBase }: UpstreamSettings, name: string): Base | undefined {
  return bases.get(name) ?? otherBase;
}

/** Returns the base address of a method. The base addresses were checked when the transport was created. */
export function usedBase(upstream: string, settings: UpstreamSettings, name: string): Base {
  const base = baseOf(settings, name);
  if (base === undefined) throw new Error(`upstream ${upstream} has no base ${name}`);
  return base;
}

/**
 * Validates the options of an upstream, and fills in the defaults.
 *
 * @param shared the client of upstreams that do not set their own client; default: the platform's default
 *   client
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function resolveOptions(
  upstream: string,
  options: UpstreamOptions,
  shared?: SuppliedClient,
): UpstreamSettings {
  const invalid: InvalidOption = (...problem) => invalidOption(upstream, ...problem);
  if (typeof options !== "object" || options === null) throw invalid("(all)", "an object", String(options));
  checkNames(options, Object.keys(NAMES), invalid);
  const { credentials = {} } = options;
  if (typeof credentials === "object" && credentials !== null) {
    checkCredentials(upstream, credentials);
  } else if (typeof credentials !== "function") {
    throw invalid("credentials", "an object or a function", typeof credentials);
  }
  const { baseUrl, maxDownloadBytes } = options;
  return {
    userAgent: checkHeader(upstream, "userAgent", options.userAgent ?? UPSTREAM_DEFAULTS.userAgent),
    acceptEncoding: checkHeader(
      upstream,
      "acceptEncoding",
      options.acceptEncoding ?? UPSTREAM_DEFAULTS.acceptEncoding,
    ),
    credentials,
    bases: basesOf(upstream, options),
    otherBase: baseUrl === undefined ? undefined : parseBase(upstream, "baseUrl", baseUrl),
    maxDownloadBytes:
      maxDownloadBytes === undefined
        ? Number.POSITIVE_INFINITY
        : checkNumber("maxDownloadBytes", maxDownloadBytes, DOWNLOAD_BYTES, invalid),
    client: resolveClient(options, invalid) ?? shared ?? clientOfPlatform(options, invalid),
    tls: resolveTls(upstream, "tls", options.tls),
    proxyOf: resolveProxy(upstream, options.proxy),
    redirects: resolveRedirects(upstream, options.redirects),
    ...checkNumbers(options, UPSTREAM_DEFAULTS, LIMITS, invalid),
    retry: checkGroup(upstream, "retry", options.retry, RETRY_DEFAULTS, RETRY_RANGES),
    breaker: checkGroup(upstream, "breaker", options.breaker, BREAKER_DEFAULTS, BREAKER_RANGES),
    rateLimits: checkGroup(
      upstream,
      "rateLimits",
      options.rateLimits,
      RATE_LIMIT_DEFAULTS,
      RATE_LIMIT_RANGES,
    ),
  };
}

function basesOf(upstream: string, { baseUrl, bases = {} }: UpstreamOptions): ReadonlyMap<string, Base> {
  const all = new Map<string, Base>();
  if (baseUrl !== undefined) all.set("", parseBase(upstream, "baseUrl", baseUrl));
  for (const [name, address] of Object.entries(bases)) {
    const base = parseBase(upstream, `bases.${name}`, address);
    if (all.size === 0) all.set("", base);
    all.set(name, base);
  }
  if (all.size === 0) throw invalidOption(upstream, "baseUrl", "an address, or `bases`", "neither");
  return all;
}

function checkHeader(upstream: string, name: string, value: unknown): string {
  if (typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  throw invalidOption(upstream, name, "printable ASCII", JSON.stringify(value) ?? String(value));
}
