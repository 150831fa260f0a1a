import type { Clock } from "connect-rest-codec/internal";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { Breaker, type Permit, type RequestOrigin, UNWATCHED } from "../breaker/breaker.ts";
import { type Authorization, authorize, chooseKind } from "../credentials/authorize.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { Identities } from "../credentials/identity.ts";
import { TokenSources } from "../credentials/token-sources.ts";
import { restError } from "../errors/rest-error.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { ExchangeReader, exchange } from "../http/exchange.ts";
import { openExchange } from "../http/open-exchange.ts";
import type { DispatchOptions, Requester } from "../http/requester.ts";
import { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { Retrier } from "../retry/retrier.ts";
import { fullName } from "../text/full-name.ts";
import { raced } from "../time/abort.ts";
import { type Base, pathBelow } from "./base.ts";
import { CallCredentials, type CredentialsCall } from "./call-credentials.ts";
import type { Connections } from "./connections.ts";
import { endpointSend } from "./endpoint-send.ts";
import { type Hop, nextHop, RedirectRefused } from "./hop.ts";
import { systemNetwork } from "./hop-pools.ts";
import { redirectedRequest } from "./hop-request.ts";
import { baseOf, resolveOptions, type UpstreamOptions, type UpstreamSettings } from "./options.ts";
import { isPlain, outgoing, plainOutgoing } from "./outgoing.ts";
import { OwnConnections } from "./own-connections.ts";
import { ResponseReceiver } from "./response-receiver.ts";
import { Responses, type Sender } from "./responses.ts";
import { SuppliedConnections } from "./supplied-connections.ts";
import {
  isSuccess,
  type OpenResponse,
  type ResponseEnd,
  type StartedRequest,
  type Upstream,
  type UpstreamCall,
  type UpstreamContext,
  type UpstreamIdentity,
  type UpstreamResponse,
} from "./upstream.ts";

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
  private readonly credentials: CallCredentials;
  private readonly responses: Responses;
  private readonly reading = new BodyBudget(MAX_READ_BYTES);
  private readonly usual = new WeakMap<MethodRules, Usual>();

  constructor(
    name: string,
    settings: UpstreamSettings,
    { clock, onBreaker, network = systemNetwork }: UpstreamContext,
  ) {
    this.name = name;
    this.settings = settings;
    this.clock = clock;
    this.limiter = settings.rateLimits && new RateLimiter(name, settings.rateLimits, clock);
    const identities = new Identities(clock);
    this.retrier = settings.retry && new Retrier(settings.retry, clock);
    const { client } = settings;
    this.connections =
      client === undefined
        ? new OwnConnections(settings, network)
        : new SuppliedConnections(client, settings, clock, network.isPrivate);
    const send = endpointSend(this.connections, settings, this.closed.signal, clock);
    const tokens = new TokenSources(name, send, clock);
    const { signal } = this.closed;
    this.credentials = new CallCredentials(name, settings.credentials, tokens, identities, signal);
    this.responses = new Responses(name, settings, this.connections);
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

  identity(call: CredentialsCall): Promise<UpstreamIdentity> {
    return this.credentials.identity(call);
  }

  async call(call: UpstreamCall): Promise<UpstreamResponse> {
    const { requester, sent, sender } = await this.prepare(call);
    call.onSent?.();
    const held = this.reading.begin();
    try {
      const limits = this.responses.limits(call.rules);
      const exchanging = exchange(requester, sent, limits, call.signal, held);
      return await this.responses.whole(await this.responses.translated(exchanging), call, sent, sender);
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
    // `startsAtOnce` has said that there are some
    if (credentials === undefined) throw new Error("credentials that have to be waited for");
    const { requester, sent, sender } = this.preparedAtOnce(call, credentials);
    call.onSent?.();
    const held = this.reading.begin();
    const receiver = new ResponseReceiver(this.responses, end, held, call, sent, sender);
    const reader = new ExchangeReader(this.responses.limits(call.rules), receiver, held);
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
    if (kind === "oauth1" || kind === "oauth1_client" || this.connections.secrets.length > 0) {
      return undefined;
    }
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

  async open(call: UpstreamCall): Promise<OpenResponse> {
    const { requester, sent, sender } = await this.prepare(call);
    const { bodyTimeoutMs = this.settings.bodyTimeoutMs } = call;
    call.onSent?.();
    const opening = openExchange(requester, { ...sent, bodyTimeout: bodyTimeoutMs }, call.signal);
    const opened = await this.responses.translated(opening);
    return await this.responses.opened(opened, call, sent, sender, bodyTimeoutMs);
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
    if (credentials === undefined || call.credentials !== undefined || call.stream !== undefined) {
      return undefined;
    }
    return { ...call, credentials };
  }

  get closing(): AbortSignal {
    return this.closed.signal;
  }

  private async prepare(call: UpstreamCall): Promise<Prepared> {
    if (call.hop !== undefined) return await this.prepareHop(call, call.hop);
    const base = this.target(call.rules);
    const path = pathBelow(this.name, base, call.request.path);
    const credentials = await this.credentials.of(call);
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
    const credentials = await this.credentials.of(call);
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
    const identity = () => this.credentials.hash(kind, credentials);
    const { signal, expiresAt, method } = call;
    await this.limiter.admit({ method: fullName(method), rules, identity, signal, expiresAt });
  }

  private senderOf(
    { kind, secrets }: Authorization,
    call: Pick<UpstreamCall, "onSecrets">,
    credentials: Credentials,
  ): Sender {
    call.onSecrets?.(secrets);
    const { areConfigured, mayBeRenewed } = this.credentials;
    const { secrets: others } = this.connections;
    return {
      ...(mayBeRenewed && HAS_TOKEN.has(kind) && { refused: credentials.refused }),
      configuredCredentials: kind !== "none" && areConfigured,
      secrets: others.length === 0 ? secrets : [...secrets, ...others],
    };
  }

  private target(rules: MethodRules): Base {
    const base = baseOf(this.settings, rules.base);
    // checked when the transport was created
    if (base === undefined) throw new Error(`upstream ${this.name} has no base ${rules.base}`);
    return base;
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

const NO_AUTHORIZATION: Authorization = { kind: "none", headers: [], queryString: "", secrets: [] };

/** Kinds of credentials with a token, which may have expired. */
const HAS_TOKEN: ReadonlySet<Authorization["kind"]> = new Set(["oauth1", "oauth2"]);

/** Statuses that lead elsewhere (RFC 9110 section 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What is wrong with a redirect to a private address; see Hop. */
const PRIVATE_HOP = "a private address after a public one";
