import { ConnectError } from "@connectrpc/connect";
import type { MethodRules } from "../adapter/rules.ts";
import { Breaker, type OriginLoad, type Permit, type RequestOrigin, UNWATCHED } from "../breaker/breaker.ts";
import { Identities } from "../credentials/identity.ts";
import { tokenSources } from "../credentials/token-sources.ts";
import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { ExchangeReader, exchange } from "../http/exchange.ts";
import { openExchange } from "../http/open-exchange.ts";
import { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { Retrier } from "../retry/retrier.ts";
import { raced } from "../time/abort.ts";
import { CallCredentials, type CredentialsCall } from "./call-credentials.ts";
import type { Connections } from "./connections.ts";
import { endpointSend } from "./endpoint-send.ts";
import { systemNetwork } from "./hop-pools.ts";
import { baseOf, resolveOptions, type UpstreamOptions, type UpstreamSettings } from "./options.ts";
import { OwnConnections } from "./own-connections.ts";
import { redirectedCall } from "./redirected-call.ts";
import { RequestPreparer } from "./request-preparer.ts";
import { ResponseReceiver } from "./response-receiver.ts";
import { Responses } from "./responses.ts";
import { suppliedConnections } from "./supplied-connections.ts";
import type {
  OpenResponse,
  ResponseEnd,
  StartedRequest,
  Upstream,
  UpstreamCall,
  UpstreamContext,
  UpstreamIdentity,
  UpstreamResponse,
} from "./upstream.ts";

/**
 * Creates an upstream. Opens no connection before the first call.
 *
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function createUpstream(name: string, options: UpstreamOptions, context: UpstreamContext): Upstream {
  const settings = resolveOptions(name, options, context.client);
  const { client } = settings;
  const { acceptEncoding } = client?.kind === "fetch" ? options : settings;
  // a fetch function itself sets the encodings that it can decompress
  return new PooledUpstream(name, { ...settings, acceptEncoding }, context);
}

/**
 * The maximum total size of an upstream's undecoded responses in memory, in bytes. While it is exceeded,
 * further responses are not read from their connections.
 */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** The maximum number of times that a request is retried because its credentials were rejected. */
const MAX_REFRESHES = 2;

/** How long a client stream whose token was replaced has to wait before it is retried, in milliseconds. */
const REPLACED_MS = 1;

class PooledUpstream implements Upstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  readonly retrier: Retrier | undefined;
  readonly connections: Connections;
  private readonly preparer: RequestPreparer;
  /** Circuit breakers by the origin of a base address. */
  private readonly breakers = new Map<string, Breaker>();
  private readonly closed = new AbortController();
  /** Undefined if known limits are not enforced. */
  private readonly limiter: RateLimiter | undefined;
  private readonly credentials: CallCredentials;
  private readonly responses: Responses;
  private readonly reading = new BodyBudget(MAX_READ_BYTES);

  constructor(
    name: string,
    settings: UpstreamSettings,
    { clock, onBreaker, network = systemNetwork }: UpstreamContext,
  ) {
    this.name = name;
    this.settings = settings;
    this.limiter = settings.rateLimits && new RateLimiter(name, settings.rateLimits, clock);
    this.retrier = settings.retry && new Retrier(settings.retry, clock);
    const { client } = settings;
    this.connections =
      client === undefined
        ? new OwnConnections(settings, network)
        : suppliedConnections(client, settings, clock, network.isPrivate);
    const send = endpointSend(this.connections, settings, this.closed.signal, clock);
    const { signal: closing } = this.closed;
    this.credentials = new CallCredentials({
      upstream: name,
      configured: settings.credentials,
      tokens: tokenSources(name, send, clock),
      identities: new Identities(clock),
      closing,
    });
    this.preparer = new RequestPreparer({
      name,
      settings,
      clock,
      connections: this.connections,
      credentials: this.credentials,
      limiter: this.limiter,
      closing,
    });
    this.responses = new Responses(name, settings, this.connections);
    for (const origin of new Set([...settings.bases.values()].map((base) => base.origin))) {
      if (settings.breaker === undefined) continue;
      this.breakers.set(origin, new Breaker({ upstream: name, origin }, settings.breaker, clock, onBreaker));
    }
  }

  admit(base: string, from?: RequestOrigin): Permit | Promise<Permit> {
    // a closed upstream needs no protection, and fails with a different error
    if (this.closed.signal.aborted) return UNWATCHED;
    const origin = baseOf(this.settings, base)?.origin ?? "";
    return this.breakers.get(origin)?.admit(from) ?? UNWATCHED;
  }

  identity(call: CredentialsCall): Promise<UpstreamIdentity> {
    return this.credentials.identity(call);
  }

  async call(call: UpstreamCall): Promise<UpstreamResponse> {
    const prepared = await this.preparer.prepare(call);
    call.onSent?.();
    const held = this.reading.begin();
    try {
      const limits = this.responses.limits(call.rules);
      const exchanging = exchange(prepared.requester, prepared.sent, limits, call.signal, held);
      return await this.responses.whole(await this.responses.translated(exchanging), call, prepared);
    } finally {
      held.release();
    }
  }

  startsAtOnce(rules: MethodRules): boolean {
    const { redirects } = this.settings;
    if (this.credentials.fixed === undefined || (redirects !== undefined && rules.redirects)) return false;
    return this.limiter === undefined || (rules.rateLimits ?? []).length === 0;
  }

  start(call: UpstreamCall, end: ResponseEnd): StartedRequest {
    const credentials = this.credentials.fixed;
    // `startsAtOnce` has reported that the credentials are available
    if (credentials === undefined) throw new Error("credentials that have to be waited for");
    const prepared = this.preparer.atOnce(call, credentials);
    call.onSent?.();
    const held = this.reading.begin();
    const receiver = new ResponseReceiver(this.responses, end, held, call, prepared);
    const reader = new ExchangeReader(this.responses.limits(call.rules), receiver, held);
    try {
      prepared.requester.dispatch(prepared.sent, reader);
    } catch (error) {
      held.release();
      throw error;
    }
    return reader;
  }

  async open(call: UpstreamCall): Promise<OpenResponse> {
    const prepared = await this.preparer.prepare(call);
    const { requester, sent } = prepared;
    const { bodyTimeoutMs = this.settings.bodyTimeoutMs } = call;
    call.onSent?.();
    const opening = openExchange(requester, { ...sent, bodyTimeout: bodyTimeoutMs }, call.signal);
    const opened = await this.responses.translated(opening);
    return await this.responses.opened(opened, call, prepared, bodyTimeoutMs);
  }

  async close(): Promise<void> {
    this.closed.abort(restError("UPSTREAM_CLOSED", { upstream: this.name }));
    await this.connections.close();
  }

  redirected(call: UpstreamCall, response: UpstreamResponse): UpstreamCall | undefined {
    return redirectedCall(this, call, response);
  }

  async refreshed(call: UpstreamCall, response: UpstreamResponse): Promise<UpstreamCall | undefined> {
    if (response.status !== 401 || response.rejected === undefined) return undefined;
    const credentials = await raced(
      response.rejected().catch((cause: unknown) => {
        if (cause instanceof ConnectError) throw cause;
        throw restError("UPSTREAM_CREDENTIALS_FAILED", { upstream: this.name }, { cause });
      }),
      call.signal,
    );
    const { refreshes = 0, stream } = call;
    if (credentials === undefined || refreshes === MAX_REFRESHES) return undefined;
    if (stream !== undefined) {
      const details = [retryInfo(REPLACED_MS)];
      throw restError("UPSTREAM_TOKEN_REPLACED", { upstream: this.name }, { details });
    }
    return { ...call, credentials, refreshes: refreshes + 1 };
  }

  get loads(): readonly OriginLoad[] {
    return [...this.breakers.values()].map(({ load }) => load);
  }

  get closing(): AbortSignal {
    return this.closed.signal;
  }
}
