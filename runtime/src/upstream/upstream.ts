import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import {
  Breaker,
  type BreakerReport,
  type Permit,
  type RequestOrigin,
  UNWATCHED,
} from "../breaker/breaker.ts";
import { type Authorization, authorize, chooseKind } from "../credentials/authorize.ts";
import type {
  Credentials,
  CredentialsContext,
  CredentialsFunction,
  FixedCredentials,
} from "../credentials/credentials.ts";
import { Identities } from "../credentials/identity.ts";
import type { OAuth2Grant } from "../credentials/oauth2-grant.ts";
import { TokenSources } from "../credentials/token-sources.ts";
import { restError } from "../errors/rest-error.ts";
import { BodyBudget, type BudgetedBody } from "../http/body-budget.ts";
import { DecompressError, decompress } from "../http/decompress.ts";
import {
  type Exchange,
  type ExchangeEnd,
  ExchangeFailed,
  type ExchangeLimits,
  ExchangeReader,
  exchange,
  type ResponseHeaders,
} from "../http/exchange.ts";
import { openExchange } from "../http/open-exchange.ts";
import type { DispatchOptions, Requester } from "../http/requester.ts";
import { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { Retrier } from "../retry/retrier.ts";
import { fullName } from "../text/full-name.ts";
import type { Secret } from "../text/secret.ts";
import { raced } from "../time/abort.ts";
import type { Clock } from "../time/clock.ts";
import { LARGE_WORK } from "../time/large-work.ts";
import { Turns } from "../time/turns.ts";
import { type Base, pathBelow } from "./base.ts";
import { beginningOf, bodyStream } from "./body-stream.ts";
import type { Connections } from "./connections.ts";
import { endpointSend } from "./endpoint-send.ts";
import { decompressError, exchangeError } from "./failure.ts";
import { type Hop, nextHop, RedirectRefused } from "./hop.ts";
import { type Network, systemNetwork } from "./hop-pools.ts";
import { redirectedRequest } from "./hop-request.ts";
import { baseOf, resolveOptions, type UpstreamOptions, type UpstreamSettings } from "./options.ts";
import { type BodyStream, isPlain, outgoing, plainOutgoing } from "./outgoing.ts";
import { OwnConnections } from "./own-connections.ts";
import type { SuppliedClient } from "./supplied-client.ts";
import { SuppliedConnections } from "./supplied-connections.ts";

/** How much of an error's body is read, in bytes: its text is at the beginning. */
export const MAX_ERROR_BYTES = 256 * 1024;

/** One call of an upstream. */
export interface UpstreamCall {
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  /** A body that comes in chunks, beside what the request has. */
  readonly stream?: BodyStream | undefined;
  /** The headers of the RPC, for a function that provides credentials. */
  readonly header: () => Headers;
  readonly signal: AbortSignal;
  /** When the deadline passes, on the clock's monotonic scale; undefined for none. */
  readonly expiresAt?: number | undefined;
  /** How long a body that is read in pieces may pause. Default: the upstream's limit. */
  readonly bodyTimeoutMs?: number | undefined;
  /** The address of a redirect, in place of the request's own. */
  readonly hop?: Hop | undefined;
  /** In place of those that were refused before. */
  readonly credentials?: Credentials | undefined;
  /** In place of those that a function would provide now. */
  readonly provided?: Credentials | undefined;
  /** Is given what is sent as credentials, before the request goes out. */
  readonly onSecrets?: ((secrets: readonly Secret[]) => void) | undefined;
  /** Is called when the request goes out. */
  readonly onSent?: (() => void) | undefined;
  /** Whether the same request was sent before. Default: it was not. */
  readonly isRetry?: boolean | undefined;
  /** Whom the request is made for: large responses are decoded in turns. Default: all are for the same. */
  readonly caller?: string | undefined;
}

/** What an upstream responded, whatever its status; decompressed. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
  /** The body is not whole. Only with a status that is an error. */
  readonly truncated: boolean;
  /** The call carried credentials of the configuration, not the caller's own. */
  readonly configuredCredentials: boolean;
  /** What was sent as credentials. */
  readonly secrets: readonly Secret[];
  /** Says that the token in the credentials was refused; see `Credentials`. Absent where none was sent. */
  readonly refused?: Credentials["refused"];
}

/** What an upstream responded, its body still to come where its status means success. */
export interface OpenResponse extends UpstreamResponse {
  /**
   * The body, decompressed, to be read once. undefined where the status is an error: then `body` has its
   * beginning. It throws ConnectErrors, or the signal's reason.
   */
  readonly chunks: AsyncIterable<Uint8Array> | undefined;
}

/** Is told how a request ended, by one of both. */
export interface ResponseEnd {
  responded(response: UpstreamResponse): void;
  /** @param error what `call` would reject with */
  failed(error: unknown): void;
}

/** A request on its way. */
export interface StartedRequest {
  /** Ends it; it fails with the reason. */
  abort(reason: unknown): void;
}

/** Who asks an upstream. */
export interface UpstreamIdentity {
  readonly name: string;
  /** Anybody: the request carries no credentials. */
  readonly isPublic: boolean;
  /** What a function has provided, by which it is known. */
  readonly provided?: Credentials | undefined;
}

/** A configured upstream, with its connections. */
export interface Upstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  /** Decides whether requests are sent again, which is up to the caller; undefined where they never are. */
  readonly retrier: Retrier | undefined;
  /**
   * Asks whether a request to a base address may be made now.
   *
   * @throws ConnectError UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN, with a google.rpc.RetryInfo
   */
  admit(base: string, from?: RequestOrigin): Permit;
  /**
   * Whose credentials a request would carry: the configured ones, an owner whom the function that provides them names, or else
   * a keyed hash of them, whose key is this process's own.
   *
   * @throws ConnectError UNAUTHENTICATED, reason UPSTREAM_CREDENTIALS_MISSING, and what the function throws
   */
  identity(call: Pick<UpstreamCall, "method" | "rules" | "header" | "signal">): Promise<UpstreamIdentity>;
  /**
   * Sends a request with credentials and reads the response. Redirects are responses like others; see `redirected`.
   *
   * @throws ConnectError when there is no response; rejects with the signal's reason when that is aborted
   */
  call(call: UpstreamCall): Promise<UpstreamResponse>;
  /**
   * Whether `start` can send a request: nothing has to be waited for before it, such as credentials or a rate limit, and its
   * response is the last, not a redirect.
   */
  startsAtOnce(rules: MethodRules): boolean;
  /**
   * Like `call`, but without a promise: throws what goes wrong before the request is sent, and later tells `end` how it ended.
   * What `end` throws is lost.
   */
  start(call: UpstreamCall, end: ResponseEnd): StartedRequest;
  /** Like `call`, but a response that means success is not read: its body comes as it is asked for. */
  open(call: UpstreamCall): Promise<OpenResponse>;
  /**
   * The call that follows the redirect in a response. undefined where there is none, or where the rules of the method or
   * the options do not allow it.
   *
   * @throws ConnectError reason REDIRECT_REFUSED
   */
  redirected(call: UpstreamCall, response: UpstreamResponse): UpstreamCall | undefined;
  /** The call with the credentials that take the place of those that a response refuses (401); once for a call. */
  renewed(call: UpstreamCall, response: UpstreamResponse): Promise<UpstreamCall | undefined>;
  /** Aborted by `close`. */
  readonly closing: AbortSignal;
  /** Waits for running calls, then closes all connections. Further calls fail with UPSTREAM_CLOSED. */
  close(): Promise<void>;
}

/** What upstreams share. */
export interface UpstreamContext {
  readonly clock: Clock;
  /** Is told of every change of a breaker. It must not throw. */
  readonly onBreaker: (report: BreakerReport) => void;
  /** For tests. Default: that of the system. */
  readonly network?: Network | undefined;
  /** For upstreams that have none of their own. Default: our own connections. */
  readonly client?: SuppliedClient | undefined;
}

/**
 * Creates an upstream. No connection is made before the first call.
 *
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function createUpstream(name: string, options: UpstreamOptions, context: UpstreamContext): Upstream {
  const settings = resolveOptions(name, options);
  const client = settings.client ?? context.client;
  const { acceptEncoding } = client?.kind === "fetch" ? options : settings;
  // a fetch asks by itself for what it can decompress
  return new PooledUpstream(name, { ...settings, client, acceptEncoding }, context);
}

/** Whether a status is a response of the method, and not an error. */
export function isSuccess(status: number, rules: MethodRules): boolean {
  return (status >= 200 && status <= 299) || rules.success.includes(status);
}

/** Whether a response is a part (RFC 9110 section 15.3.7) that nobody has asked for: it would pass for the whole. */
function isStrayPart(status: number, { request, rules }: UpstreamCall): boolean {
  if (status !== 206 || rules.success.includes(206)) return false;
  return !request.headers.some(([name]) => name === "range");
}

/** What of a call its credentials depend on. */
type CredentialsCall = Pick<
  UpstreamCall,
  "method" | "rules" | "header" | "signal" | "credentials" | "provided"
>;

type Sender = Pick<UpstreamResponse, "configuredCredentials" | "secrets" | "refused">;

interface Prepared {
  readonly requester: Requester;
  readonly sent: DispatchOptions;
  readonly sender: Sender;
}

/** What is the same for all requests of a method, as long as the credentials are. */
interface Usual {
  readonly credentials: Pick<Credentials, "apiKey" | "oauth1" | "oauth2" | "basic">;
  readonly base: Base;
  readonly requester: Requester;
  readonly authorization: Authorization;
  readonly sender: Sender;
  /** The headers of requests that have none of their own. */
  readonly headers: readonly string[];
}

/**
 * Bodies that are decompressed at the same time. Each may become `maxResponseBytes`: a hundred bombs at once would take
 * gigabytes, of which the system gets little back.
 */
const MAX_DECOMPRESSING = 4;

/** Responses beyond this size, in bytes, wait for their turn to be decoded. */
const LARGE_BYTES = 256 * 1024;

/** Bytes of responses of one upstream that are in memory before they are decoded; beyond, they wait in their connections. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

class PooledUpstream implements Upstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  readonly retrier: Retrier | undefined;
  private readonly clock: Clock;
  private readonly connections: Connections;
  /** By the origins of base addresses. */
  private readonly breakers = new Map<string, Breaker>();
  private readonly closed = new AbortController();
  /** undefined where limits that are known are not kept. */
  private readonly limiter: RateLimiter | undefined;
  private readonly identities: Identities;
  private readonly decompressing = new Turns(MAX_DECOMPRESSING);
  private readonly tokens: TokenSources;
  private readonly reading = new BodyBudget(MAX_READ_BYTES);
  private readonly usual = new WeakMap<MethodRules, Usual>();
  private readonly limits = new WeakMap<MethodRules, ExchangeLimits>();

  constructor(
    name: string,
    settings: UpstreamSettings,
    { clock, onBreaker, network = systemNetwork }: UpstreamContext,
  ) {
    this.name = name;
    this.settings = settings;
    this.clock = clock;
    this.limiter = settings.rateLimits && new RateLimiter(name, settings.rateLimits, clock);
    this.identities = new Identities(clock);
    this.retrier = settings.retry && new Retrier(settings.retry, clock);
    const { client } = settings;
    this.connections =
      client === undefined
        ? new OwnConnections(settings, network)
        : new SuppliedConnections(client, settings, clock, network.isPrivate);
    const send = endpointSend(this.connections, settings, this.closed.signal, clock);
    this.tokens = new TokenSources(name, send, clock);
    for (const origin of new Set([...settings.bases.values()].map((base) => base.origin))) {
      if (settings.breaker === undefined) continue;
      this.breakers.set(origin, new Breaker({ upstream: name, origin }, settings.breaker, clock, onBreaker));
    }
  }

  admit(base: string, from?: RequestOrigin): Permit {
    // a closed upstream has nothing to be protected from, and a reason of its own
    if (this.closed.signal.aborted) return UNWATCHED;
    const origin = baseOf(this.settings, base)?.origin ?? "";
    return this.breakers.get(origin)?.admit(from) ?? UNWATCHED;
  }

  async identity(call: CredentialsCall): Promise<UpstreamIdentity> {
    const { credentials: configured } = this.settings;
    const isConfigured = typeof configured !== "function";
    // who it is does not depend on a token that would have to be fetched
    const credentials = isConfigured ? (configured as Credentials) : await this.credentials(call);
    const kind = chooseKind(call, credentials);
    const provided = isConfigured ? undefined : credentials;
    if (kind === "none") return { name: "none", isPublic: true, provided };
    if (isConfigured) return { name: `configured ${kind}`, isPublic: false };
    const { owner } = credentials;
    const name =
      owner === undefined ? `caller ${this.identities.proven(kind, credentials)}` : `owner ${owner}`;
    return { name: `${name} ${kind}`, isPublic: false, provided };
  }

  async call(call: UpstreamCall): Promise<UpstreamResponse> {
    const { requester, sent, sender } = await this.prepare(call);
    call.onSent?.();
    const held = this.reading.begin();
    try {
      const response = await this.exchange(requester, sent, call, held);
      return await this.received(response, call, sent, sender);
    } finally {
      held.release();
    }
  }

  startsAtOnce(rules: MethodRules): boolean {
    const { redirects } = this.settings;
    if (this.fixedCredentials === undefined || (redirects !== undefined && rules.redirects)) return false;
    return this.limiter === undefined || (rules.rateLimits ?? []).length === 0;
  }

  start(call: UpstreamCall, end: ResponseEnd): StartedRequest {
    const credentials = this.fixedCredentials;
    // `startsAtOnce` has said that there are some
    if (credentials === undefined) throw new Error("credentials that have to be waited for");
    const { requester, sent, sender } = this.preparedAtOnce(call, credentials);
    call.onSent?.();
    const held = this.reading.begin();
    const receiver = new Receiver(this, end, held, call, sent, sender);
    const reader = new ExchangeReader(this.limitsOf(call.rules), receiver, held);
    try {
      requester.dispatch(sent, reader);
    } catch (error) {
      held.release();
      throw error;
    }
    return reader;
  }

  private preparedAtOnce(call: UpstreamCall, credentials: Credentials): Prepared {
    const { rules, request } = call;
    const usual = this.usualOf(call, credentials);
    const base = usual?.base ?? this.target(rules);
    const path = pathBelow(this.name, base, request.path);
    if (usual === undefined || !isPlain(request)) return this.prepared(call, base, path, credentials);
    const { authorization, headers, requester, sender } = usual;
    call.onSecrets?.(authorization.secrets);
    const sent = plainOutgoing({ origin: base.origin, rules, request, path, authorization }, headers);
    return { requester, sent, sender };
  }

  /** undefined where requests are signed one by one, or may go out by a proxy, whose secrets become known later. */
  private usualOf(call: UpstreamCall, credentials: Credentials): Usual | undefined {
    const { rules } = call;
    const known = this.usual.get(rules);
    if (known !== undefined && areSame(known.credentials, credentials)) return known;
    const kind = chooseKind(call, credentials);
    if (kind === "oauth1" || kind === "oauth1_client" || this.connections.secrets.length > 0)
      return undefined;
    const made = this.makeUsual(call, credentials);
    this.usual.set(rules, made);
    return made;
  }

  private makeUsual({ method, rules }: UpstreamCall, credentials: Credentials): Usual {
    const base = this.target(rules);
    const { origin, prefix: path } = base;
    const request: RestRequest = {
      verb: "GET",
      path: "",
      queryString: "",
      headers: [],
      oauth1Params: [],
      body: undefined,
    };
    const call = { method, rules, request };
    const authorization = authorize({ ...call, origin, path }, credentials, this.clock);
    const { headers } = outgoing({ ...call, origin, path, authorization }, this.settings, this.clock);
    const { apiKey, oauth1, oauth2, basic } = credentials;
    return {
      credentials: { apiKey, oauth1, oauth2: oauth2 && { ...oauth2 }, basic: basic && { ...basic } },
      base,
      requester: this.connections.base(origin),
      authorization,
      sender: this.senderOf(authorization, {}, credentials),
      headers: Object.freeze(headers as string[]),
    };
  }

  /** Credentials that are the same for all calls, and are never renewed; undefined where they have to be asked for. */
  private get fixedCredentials(): Credentials | undefined {
    const { credentials } = this.settings;
    return typeof credentials === "function" || isGrant(credentials.oauth2)
      ? undefined
      : (credentials as Credentials);
  }

  /** Checks and decompresses what came; a promise only where that takes its time. */
  received(
    response: Exchange,
    call: UpstreamCall,
    sent: DispatchOptions,
    sender: Sender,
  ): UpstreamResponse | Promise<UpstreamResponse> {
    const { status, headers, body, incomplete } = response;
    if (this.isProxyRefusal(sent, status)) throw this.proxyRefusal(status);
    if (isStrayPart(status, call)) throw this.strayPart();
    const isPlain = headers["content-encoding"] === undefined || body.length === 0;
    if (isPlain && body.length <= LARGE_BYTES) {
      return { status, headers, truncated: incomplete !== undefined, body, ...sender };
    }
    const tolerant = !isSuccess(status, call.rules);
    return this.decompressed(response, tolerant, call).then((whole) => ({ ...whole, ...sender }));
  }

  async open(call: UpstreamCall): Promise<OpenResponse> {
    const { requester, sent, sender } = await this.prepare(call);
    const { bodyTimeoutMs = this.settings.bodyTimeoutMs } = call;
    call.onSent?.();
    const opened = await this.translated(
      openExchange(requester, { ...sent, bodyTimeout: bodyTimeoutMs }, call.signal),
    );
    const { status, headers } = opened;
    if (this.isProxyRefusal(sent, status)) {
      await opened.body.return?.();
      throw this.proxyRefusal(status);
    }
    if (isStrayPart(status, call)) {
      await opened.body.return?.();
      throw this.strayPart();
    }
    if (isSuccess(status, call.rules)) {
      const settings = { ...this.settings, bodyTimeoutMs };
      const chunks = bodyStream(opened, { ...this.failureContext, settings });
      return { status, headers, body: new Uint8Array(), truncated: false, chunks, ...sender };
    }
    const beginning = await beginningOf(opened, this.maxErrorBytes, call.signal);
    return { ...(await this.decompressed(beginning, true, call)), chunks: undefined, ...sender };
  }

  async close(): Promise<void> {
    this.closed.abort(restError("UPSTREAM_CLOSED", { upstream: this.name }));
    await this.connections.close();
  }

  redirected(call: UpstreamCall, { status, headers }: UpstreamResponse): UpstreamCall | undefined {
    const { rules, request, stream, method } = call;
    const { redirects } = this.settings;
    if (redirects === undefined || !rules.redirects || !REDIRECTS.has(status)) return undefined;
    if (isSuccess(status, rules) || stream !== undefined || request.body !== undefined) return undefined;
    if (request.verb !== "GET" && request.verb !== "HEAD") return undefined;
    const { location } = headers;
    if (location === undefined) return undefined;
    const base = this.target(rules);
    const start = {
      origin: base.origin,
      path: base.prefix + request.path,
      isForeign: false,
      mustBePublic: false,
      count: 0,
    };
    const from = call.hop ?? start;
    const mustBePublic = from.mustBePublic || this.connections.isPublic(from.origin);
    try {
      if (typeof location !== "string") throw new RedirectRefused("more than one address");
      const hop = nextHop(location, { ...from, mustBePublic }, base.origin, redirects);
      if (mustBePublic && !this.connections.mayBePublic(hop.origin)) throw new RedirectRefused(PRIVATE_HOP);
      return { ...call, hop, request: redirectedRequest(request, hop, rules.apiKey) };
    } catch (cause) {
      if (!(cause instanceof RedirectRefused)) throw cause;
      const names = { upstream: this.name, method: fullName(method) };
      throw restError("REDIRECT_REFUSED", { ...names, problem: cause.message }, { cause });
    }
  }

  async renewed(call: UpstreamCall, response: UpstreamResponse): Promise<UpstreamCall | undefined> {
    if (response.status !== 401 || response.refused === undefined) return undefined;
    const credentials = await raced(response.refused(), call.signal);
    // a body that came in chunks is gone
    if (credentials === undefined || call.credentials !== undefined || call.stream !== undefined)
      return undefined;
    return { ...call, credentials };
  }

  get closing(): AbortSignal {
    return this.closed.signal;
  }

  private async prepare(call: UpstreamCall): Promise<Prepared> {
    if (call.hop !== undefined) return await this.prepareHop(call, call.hop);
    const base = this.target(call.rules);
    const path = pathBelow(this.name, base, call.request.path);
    const credentials = await this.credentials(call);
    await this.limited(call, credentials);
    return this.prepared(call, base, path, credentials);
  }

  private prepared(call: UpstreamCall, { origin }: Base, path: string, credentials: Credentials): Prepared {
    const { method, rules, request, stream } = call;
    const authorization = authorize({ method, rules, request, origin, path }, credentials, this.clock);
    return {
      requester: this.connections.base(origin),
      sent: outgoing({ rules, request, stream, origin, path, authorization }, this.settings, this.clock),
      sender: this.senderOf(authorization, call, credentials),
    };
  }

  /** A redirect counts against limits as any request; another origin gets no credentials. */
  private async prepareHop(call: UpstreamCall, hop: Hop): Promise<Prepared> {
    this.closed.signal.throwIfAborted();
    const credentials = await this.credentials(call);
    await this.limited(call, credentials);
    const { origin, path } = hop;
    const authorization = hop.isForeign
      ? NO_AUTHORIZATION
      : authorize({ ...call, origin, path }, credentials, this.clock);
    return {
      requester: this.connections.hop(hop),
      sent: outgoing({ ...call, origin, path, authorization }, this.settings, this.clock),
      sender: this.senderOf(authorization, call, credentials),
    };
  }

  /** Before the request is signed: a signature must not grow old while it waits. */
  private async limited(call: UpstreamCall, credentials: Credentials): Promise<void> {
    const { rateLimits: rules = [] } = call.rules;
    if (this.limiter === undefined || rules.length === 0) return;
    const kind = chooseKind(call, credentials);
    const identity = () => this.identities.of(kind, credentials);
    const { signal, expiresAt, method } = call;
    await this.limiter.admit({ method: fullName(method), rules, identity, signal, expiresAt });
  }

  private senderOf(
    { kind, secrets }: Authorization,
    call: Pick<UpstreamCall, "onSecrets">,
    credentials: Credentials,
  ): Sender {
    call.onSecrets?.(secrets);
    const { credentials: source } = this.settings;
    const fixed = typeof source !== "function";
    const mayBeRenewed = !fixed || isGrant(source.oauth2);
    const { secrets: others } = this.connections;
    return {
      ...(mayBeRenewed && HAS_TOKEN.has(kind) && { refused: credentials.refused }),
      configuredCredentials: kind !== "none" && fixed,
      secrets: others.length === 0 ? secrets : [...secrets, ...others],
    };
  }

  private target(rules: MethodRules): Base {
    const base = baseOf(this.settings, rules.base);
    // checked when the transport was created
    if (base === undefined) throw new Error(`upstream ${this.name} has no base ${rules.base}`);
    return base;
  }

  private credentials(call: CredentialsCall): Credentials | Promise<Credentials> {
    const { method, header, signal } = call;
    const { credentials } = this.settings;
    const given = call.credentials ?? call.provided;
    if (given !== undefined) return given;
    if (typeof credentials !== "function") return this.resolved(call, credentials);
    const provided = raced(this.provided(credentials, { method, header: header() }), signal);
    return provided.then((given) => this.resolved(call, given));
  }

  /** A token is fetched only for a method that takes it. */
  private resolved(call: CredentialsCall, given: FixedCredentials): Credentials | Promise<Credentials> {
    const { oauth2 } = given;
    if (!isGrant(oauth2)) return given as Credentials;
    const { apiKey, oauth1, basic, owner } = given;
    const others = { apiKey, oauth1, basic, owner };
    const kind = chooseKind(call, { ...others, oauth2: { accessToken: "" } });
    return kind === "oauth2" ? raced(this.withToken(oauth2, others), call.signal) : others;
  }

  private async withToken(grant: OAuth2Grant, others: Credentials): Promise<Credentials> {
    this.closed.signal.throwIfAborted();
    const { source, identity } = this.tokens.of(grant);
    const accessToken = await source.get();
    const refused = async (): Promise<Credentials | undefined> => {
      // where there is no other token, what the upstream said is the error
      const other = await source.another(accessToken).catch(() => undefined);
      return other && { ...others, oauth2: { accessToken: other, identity } };
    };
    return { ...others, oauth2: { accessToken, identity }, refused };
  }

  private async provided(
    provide: CredentialsFunction,
    context: CredentialsContext,
  ): Promise<FixedCredentials> {
    try {
      return (await provide(context)) ?? {};
    } catch (cause) {
      if (cause instanceof ConnectError) throw cause;
      throw restError("UPSTREAM_CREDENTIALS_FAILED", { upstream: this.name }, { cause });
    }
  }

  private exchange(
    requester: Requester,
    sent: DispatchOptions,
    { rules, signal }: UpstreamCall,
    held: BudgetedBody,
  ): Promise<Exchange> {
    return this.translated(exchange(requester, sent, this.limitsOf(rules), signal, held));
  }

  private limitsOf(rules: MethodRules): ExchangeLimits {
    const known = this.limits.get(rules);
    if (known !== undefined) return known;
    const tolerant = (status: number) => !isSuccess(status, rules);
    const maxBytes = (status: number) =>
      tolerant(status) ? this.maxErrorBytes : this.settings.maxResponseBytes;
    const limits = { maxBytes, tolerant };
    this.limits.set(rules, limits);
    return limits;
  }

  /** Where requests are handed to a proxy, a 407 is the proxy's own (RFC 9110 section 15.5.8). */
  private isProxyRefusal({ origin }: DispatchOptions, status: number): boolean {
    return status === 407 && this.connections.isForwarded(String(origin));
  }

  private proxyRefusal(status: number): ConnectError {
    return restError("UPSTREAM_PROXY_REFUSED", { upstream: this.name, status });
  }

  private strayPart(): ConnectError {
    return restError("UPSTREAM_BODY_PARTIAL", { upstream: this.name });
  }

  private async translated<T>(exchanging: Promise<T>): Promise<T> {
    try {
      return await exchanging;
    } catch (error) {
      throw this.translation(error);
    }
  }

  /** The error that callers get for one of an exchange. */
  translation(error: unknown): unknown {
    return error instanceof ExchangeFailed ? exchangeError(error, this.failureContext) : error;
  }

  private get maxErrorBytes(): number {
    return Math.min(MAX_ERROR_BYTES, this.settings.maxResponseBytes);
  }

  /** The response as it was before it was compressed, when it is its turn to be decoded. */
  private async decompressed(response: Exchange, tolerant: boolean, { signal, caller = "" }: UpstreamCall) {
    const { status, headers, body, incomplete } = response;
    const encoding = headers["content-encoding"];
    const head = { status, headers, truncated: incomplete !== undefined };
    const turn = async (bytes: Uint8Array) => {
      if (bytes.length > LARGE_BYTES) await LARGE_WORK.turn(caller, bytes.length, signal);
      return bytes;
    };
    if (encoding === undefined || body.length === 0) return { ...head, body: await turn(body) };
    const { maxResponseBytes } = this.settings;
    const work = async () => turn(await decompress(body, String(encoding), maxResponseBytes, signal));
    try {
      return { ...head, body: await this.decompressing.run(signal, work) };
    } catch (error) {
      if (!(error instanceof DecompressError)) throw error;
      // the status of an error says enough without its text
      if (tolerant) return { ...head, body: new Uint8Array() };
      throw decompressError(error, this.failureContext);
    }
  }

  private get failureContext() {
    return { upstream: this.name, settings: this.settings, client: this.connections.kind };
  }
}

/** Receives the response to a request that was started. */
class Receiver implements ExchangeEnd {
  private readonly upstream: PooledUpstream;
  private readonly end: ResponseEnd;
  private readonly held: BudgetedBody;
  private readonly call: UpstreamCall;
  private readonly sent: DispatchOptions;
  private readonly sender: Sender;

  constructor(
    upstream: PooledUpstream,
    end: ResponseEnd,
    held: BudgetedBody,
    call: UpstreamCall,
    sent: DispatchOptions,
    sender: Sender,
  ) {
    this.upstream = upstream;
    this.end = end;
    this.held = held;
    this.call = call;
    this.sent = sent;
    this.sender = sender;
  }

  exchanged(exchange: Exchange): void {
    let response: UpstreamResponse | Promise<UpstreamResponse>;
    try {
      response = this.upstream.received(exchange, this.call, this.sent, this.sender);
    } catch (error) {
      this.failed(error);
      return;
    }
    if (response instanceof Promise) {
      response.then(
        (whole) => this.responded(whole),
        (error: unknown) => this.failed(error),
      );
    } else {
      this.responded(response);
    }
  }

  failed(error: unknown): void {
    this.held.release();
    this.end.failed(this.upstream.translation(error));
  }

  private responded(response: UpstreamResponse): void {
    this.held.release();
    this.end.responded(response);
  }
}

/** Whether credentials are those of before: a program may change them in place. Those of OAuth 1.0a are never kept. */
function areSame(before: Usual["credentials"], now: Credentials): boolean {
  const [a, b] = [before.basic, now.basic];
  const [c, d] = [before.oauth2, now.oauth2];
  return (
    before.apiKey === now.apiKey &&
    before.oauth1 === now.oauth1 &&
    c?.accessToken === d?.accessToken &&
    a?.username === b?.username &&
    a?.password === b?.password
  );
}

function isGrant(oauth2: FixedCredentials["oauth2"]): oauth2 is OAuth2Grant {
  return oauth2 !== undefined && !("accessToken" in oauth2);
}

const NO_AUTHORIZATION: Authorization = { kind: "none", headers: [], queryString: "", secrets: [] };

/** Kinds of credentials with a token, which may have expired. */
const HAS_TOKEN: ReadonlySet<Authorization["kind"]> = new Set(["oauth1", "oauth2"]);

/** Statuses that lead elsewhere (RFC 9110 section 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What is wrong with a redirect to a private address; see Hop. */
const PRIVATE_HOP = "a private address after a public one";
