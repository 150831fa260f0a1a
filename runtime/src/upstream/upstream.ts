import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { Pool } from "undici";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { stringifyJson } from "../answer/stringify-json.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type Authorization, authorize } from "../credentials/authorize.ts";
import type { Credentials, CredentialsContext, CredentialsFunction } from "../credentials/credentials.ts";
import type { Secret } from "../credentials/secret.ts";
import { restError } from "../errors/rest-error.ts";
import { raced } from "./abort.ts";
import { type Base, pathBelow } from "./base.ts";
import { DecompressError, decompress } from "./decompress.ts";
import { type AnswerHeaders, type Exchange, ExchangeFailed, exchange } from "./exchange.ts";
import { decompressError, exchangeError } from "./failure.ts";
import { resolveOptions, type UpstreamOptions, type UpstreamSettings } from "./options.ts";

/** The text of an error is in the beginning of its body; more of it is not read. */
const MAX_ERROR_BYTES = 256 * 1024;

/** One call of an upstream. */
export interface UpstreamCall {
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  /** The headers of the RPC, for a function that provides credentials. */
  readonly header: Headers;
  readonly signal: AbortSignal;
}

/** What an upstream answered, whatever its status; decompressed. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Uint8Array;
  /** The body is not whole. Only with a status that is an error. */
  readonly truncated: boolean;
  /** The call carried credentials of the configuration, not the caller's own. */
  readonly configuredCredentials: boolean;
  /** What was sent as credentials. */
  readonly secrets: readonly Secret[];
}

/** A configured upstream, with its connections. */
export interface Upstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  /**
   * Sends a request with credentials and reads the answer. Redirects are not followed.
   *
   * @throws ConnectError when there is no answer; rejects with the signal's reason when that is aborted
   */
  call(call: UpstreamCall): Promise<UpstreamAnswer>;
  /** Waits for running calls, then closes all connections. Further calls fail with UPSTREAM_CLOSED. */
  close(): Promise<void>;
}

/**
 * Creates an upstream. No connection is made before the first call.
 *
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function createUpstream(name: string, options: UpstreamOptions, clock: Clock = systemClock): Upstream {
  return new PooledUpstream(name, resolveOptions(name, options), clock);
}

/** Whether a status is an answer of the method, and not an error. */
export function isSuccess(status: number, rules: MethodRules): boolean {
  return (status >= 200 && status <= 299) || rules.success.includes(status);
}

class PooledUpstream implements Upstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  private readonly clock: Clock;
  private readonly pools = new Map<string, Pool>();

  constructor(name: string, settings: UpstreamSettings, clock: Clock) {
    this.name = name;
    this.settings = settings;
    this.clock = clock;
    for (const { origin } of settings.bases.values()) {
      if (!this.pools.has(origin)) this.pools.set(origin, createPool(origin, settings));
    }
  }

  async call(call: UpstreamCall): Promise<UpstreamAnswer> {
    const { base, pool } = this.target(call.rules);
    const path = pathBelow(this.name, base, call.request.path);
    const credentials = await this.credentials(call);
    const authorization = authorize({ ...call, origin: base.origin, path }, credentials, this.clock);
    const answer = await this.send(pool, path, call, authorization);
    return {
      ...(await this.decompressed(answer, !isSuccess(answer.status, call.rules))),
      configuredCredentials: authorization.kind !== "none" && typeof this.settings.credentials !== "function",
      secrets: authorization.secrets,
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => (pool.closed ? undefined : pool.close())));
  }

  private target(rules: MethodRules): { readonly base: Base; readonly pool: Pool } {
    const base = this.settings.bases.get(rules.base);
    const pool = base && this.pools.get(base.origin);
    // checked when the transport was created
    if (base === undefined || pool === undefined)
      throw new Error(`upstream ${this.name} has no base ${rules.base}`);
    return { base, pool };
  }

  private credentials({ method, header, signal }: UpstreamCall): Credentials | Promise<Credentials> {
    const { credentials } = this.settings;
    if (typeof credentials !== "function") return credentials;
    return raced(this.provided(credentials, { method, header }), signal);
  }

  private async provided(provide: CredentialsFunction, context: CredentialsContext): Promise<Credentials> {
    try {
      return (await provide(context)) ?? {};
    } catch (cause) {
      if (cause instanceof ConnectError) throw cause;
      throw restError("UPSTREAM_CREDENTIALS_FAILED", { upstream: this.name }, { cause });
    }
  }

  private async send(
    pool: Pool,
    path: string,
    { rules, request, signal }: UpstreamCall,
    authorization: Authorization,
  ): Promise<Exchange> {
    const query = [request.queryString, authorization.queryString].filter((text) => text !== "").join("&");
    const { contentType, body } = bodyOf(request);
    const sent = {
      method: request.verb,
      path: query === "" ? path : `${path}?${query}`,
      headers: [...this.headers(rules, request, contentType), ...authorization.headers.flat()],
      body,
    };
    const tolerant = (status: number) => !isSuccess(status, rules);
    const maxBytes = (status: number) =>
      tolerant(status)
        ? Math.min(MAX_ERROR_BYTES, this.settings.maxResponseBytes)
        : this.settings.maxResponseBytes;
    try {
      return await exchange(pool, sent, { maxBytes, tolerant }, signal);
    } catch (error) {
      throw error instanceof ExchangeFailed ? exchangeError(error, this.failureContext) : error;
    }
  }

  /** Headers of the request come before the defaults, except those that are the same for the whole upstream. */
  private headers(
    { responseEncoding }: MethodRules,
    request: RestRequest,
    contentType: string | undefined,
  ): string[] {
    const named = request.headers.filter(([name]) => name !== "user-agent" && name !== "accept-encoding");
    const has = (header: string) => named.some(([name]) => name === header);
    const { userAgent, acceptEncoding } = this.settings;
    const headers = ["user-agent", userAgent, "accept-encoding", acceptEncoding, ...named.flat()];
    if (!has("accept")) headers.push("accept", responseEncoding === "json" ? "application/json" : "*/*");
    if (contentType !== undefined && !has("content-type")) headers.push("content-type", contentType);
    return headers;
  }

  private async decompressed(answer: Exchange, tolerant: boolean) {
    const { status, headers, body, incomplete } = answer;
    const encoding = headers["content-encoding"];
    const head = { status, headers, truncated: incomplete !== undefined };
    if (encoding === undefined || body.length === 0) return { ...head, body };
    try {
      return { ...head, body: await decompress(body, String(encoding), this.settings.maxResponseBytes) };
    } catch (error) {
      if (!(error instanceof DecompressError)) throw error;
      // the status of an error says enough without its text
      if (tolerant) return { ...head, body: new Uint8Array() };
      throw decompressError(error, this.failureContext);
    }
  }

  private get failureContext() {
    return { upstream: this.name, settings: this.settings };
  }
}

function createPool(origin: string, settings: UpstreamSettings): Pool {
  return new Pool(origin, {
    connections: settings.connections,
    pipelining: 1,
    // HTTP/1.1 only: failures of HTTP/2 sessions are other ones, and no upstream so far needs it
    allowH2: false,
    maxHeaderSize: settings.maxHeaderBytes,
    connect: { timeout: settings.connectTimeoutMs },
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
  });
}

function bodyOf({ body }: RestRequest): {
  readonly contentType?: string;
  readonly body: string | Uint8Array | null;
} {
  switch (body?.kind) {
    case undefined:
      return { body: null };
    case "json":
      return { contentType: "application/json", body: stringifyJson(body.value) };
    case "form":
      return { contentType: "application/x-www-form-urlencoded", body: body.text };
    case "bytes":
      return { contentType: body.contentType, body: body.bytes };
  }
}
