import { systemClock } from "connect-rest-codec/internal";
import type { Credentials } from "../credentials/credentials.ts";
import { restError } from "../errors/rest-error.ts";
import { DecompressError, decompress } from "../http/decompress.ts";
import { type Exchange, ExchangeFailed, exchange, type ResponseHeaders } from "../http/exchange.ts";
import type { Connections } from "./connections.ts";
import { decompressError, exchangeError } from "./failure.ts";
import { systemNetwork } from "./hop-pools.ts";
import { resolveOptions, type UpstreamOptions, type UpstreamSettings } from "./options.ts";
import { OwnConnections } from "./own-connections.ts";
import { suppliedConnections } from "./supplied-connections.ts";

/** The request options, as in `fetch`. */
export interface UpstreamFetchInit {
  /** Default: GET. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends requests that are not calls of methods, within the limits of an upstream: timeouts, sizes, TLS, proxy
 * and user agent.
 */
export interface UpstreamFetch {
  /**
   * Sends a request and reads the whole response. Redirects are returned like other responses, and never
   * followed.
   *
   * @throws ConnectError if the connection fails, if the response exceeds a limit, and for an address outside
   *   of `origins`
   */
  fetch(address: string, init?: UpstreamFetchInit): Promise<Response>;
  close(): Promise<void>;
}

/** Additional limits for the requests of an `UpstreamFetch`. */
export interface UpstreamFetchOptions {
  /** The only origins to which requests are allowed. */
  readonly origins: readonly string[];
  /**
   * The maximum size of a response body, before and after decompression. Default: 1 MiB, or
   * `maxResponseBytes` if that is less.
   */
  readonly maxBytes?: number | undefined;
  /** The time limit for a whole exchange, in milliseconds. Default: 10 000. */
  readonly timeoutMs?: number | undefined;
}

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** Statuses without a body (Fetch standard, "null body status"). */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Creates a function that sends requests that are not calls of methods, e.g. requests to the endpoints of an
 * authorization server. Opens no connection before the first request.
 *
 * @param name the name of the upstream, for error messages
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function createUpstreamFetch(
  name: string,
  options: Omit<UpstreamOptions, "baseUrl" | "bases" | "credentials">,
  { origins, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: UpstreamFetchOptions,
): UpstreamFetch {
  const bases = Object.fromEntries(origins.map((origin, index) => [String(index), origin]));
  const credentials: Credentials = {};
  const resolved = resolveOptions(name, { ...options, bases, credentials, redirects: false });
  const settings = { ...resolved, maxResponseBytes: Math.min(maxBytes, resolved.maxResponseBytes) };
  const connections =
    settings.client === undefined
      ? new OwnConnections(settings, systemNetwork)
      : suppliedConnections(settings.client, settings, systemClock, systemNetwork.isPrivate);
  return new BoundedFetch({ name, settings, connections, origins: new Set(origins), timeoutMs });
}

interface Parts {
  readonly name: string;
  readonly settings: UpstreamSettings;
  readonly connections: Connections;
  readonly origins: ReadonlySet<string>;
  readonly timeoutMs: number;
}

class BoundedFetch implements UpstreamFetch {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  async fetch(address: string, init: UpstreamFetchInit = {}): Promise<Response> {
    const url = URL.parse(address);
    if (url === null || !this.parts.origins.has(url.origin)) {
      const problem = "an address of another origin than those of its settings";
      throw restError("UPSTREAM_UNREACHABLE", { upstream: this.parts.name, problem });
    }
    const expires = AbortSignal.timeout(this.parts.timeoutMs);
    const signal = init.signal === undefined ? expires : AbortSignal.any([init.signal, expires]);
    try {
      return await this.exchange(url, init, signal);
    } catch (error) {
      if (!expires.aborted || init.signal?.aborted === true) throw error;
      const limit = `${this.parts.timeoutMs} ms`;
      throw restError(
        "UPSTREAM_TIMEOUT",
        { upstream: this.parts.name, part: "the response", limit },
        { cause: error },
      );
    }
  }

  async close(): Promise<void> {
    await this.parts.connections.close();
  }

  private async exchange(url: URL, init: UpstreamFetchInit, signal: AbortSignal): Promise<Response> {
    const { method = "GET", body } = init;
    const { name, settings, connections } = this.parts;
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      idempotent: method === "GET",
      headers: this.headersOf(init),
      body: body instanceof URLSearchParams ? body.toString() : (body ?? null),
    };
    const limits = { maxBytes: () => settings.maxResponseBytes, tolerant: () => false };
    try {
      return await this.responseOf(
        await exchange(connections.base(url.origin), request, limits, signal),
        signal,
      );
    } catch (error) {
      const context = { upstream: name, settings, client: connections.kind };
      if (error instanceof ExchangeFailed) throw exchangeError(error, context);
      throw error instanceof DecompressError ? decompressError(error, context) : error;
    }
  }

  private headersOf({ headers = {}, body }: UpstreamFetchInit): string[] {
    const { userAgent, acceptEncoding } = this.parts.settings;
    const given = Object.entries(headers).filter(([name]) => !/^(?:user-agent|accept-encoding)$/i.test(name));
    const isForm = body instanceof URLSearchParams && headers["content-type"] === undefined;
    return [
      ...["user-agent", userAgent],
      ...(acceptEncoding === undefined ? [] : ["accept-encoding", acceptEncoding]),
      ...(isForm ? ["content-type", "application/x-www-form-urlencoded;charset=UTF-8"] : []),
      ...given.flat(),
    ];
  }

  private async responseOf({ status, headers, body }: Exchange, signal: AbortSignal): Promise<Response> {
    const encoding = headers["content-encoding"];
    const bytes =
      encoding === undefined || body.length === 0
        ? body
        : await decompress(body, String(encoding), this.parts.settings.maxResponseBytes, signal);
    // HTTP allows statuses that a Response object does not allow
    const held = status >= 200 && status <= 599 ? status : 502;
    return new Response(NO_BODY.has(held) ? null : new Uint8Array(bytes), {
      status: held,
      headers: headersOf(headers),
    });
  }
}

/** Returns the headers, except cookies and headers about the encoding of the body. */
function headersOf(headers: ResponseHeaders): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (/^(?:content-encoding|content-length|transfer-encoding|set-cookie)$/i.test(name)) continue;
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) all.append(name, each);
  }
  return all;
}
