import type { Clock } from "connect-rest-codec/internal";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { type Authorization, authorize, chooseKind } from "../credentials/authorize.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { DispatchOptions, Requester } from "../http/requester.ts";
import type { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { fullName } from "../text/full-name.ts";
import { type Base, pathBelow } from "./base.ts";
import type { CallCredentials } from "./call-credentials.ts";
import type { Connections } from "./connections.ts";
import type { Hop } from "./hop.ts";
import { type UpstreamSettings, usedBase } from "./options.ts";
import { isPlain, outgoing, plainOutgoing } from "./outgoing.ts";
import type { Sender } from "./responses.ts";
import type { UpstreamCall } from "./upstream.ts";

/** A request with its credentials, and the connections that it takes. */
export interface Prepared {
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

/** What a preparer works with. */
interface Parts {
  readonly name: string;
  readonly settings: UpstreamSettings;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly credentials: CallCredentials;
  /** undefined where limits that are known are not kept. */
  readonly limiter: RateLimiter | undefined;
  /** Aborted once the upstream is closed. */
  readonly closing: AbortSignal;
}

/** Makes the HTTP requests of an upstream: address, credentials, headers and body. */
export class RequestPreparer {
  private readonly name: string;
  private readonly settings: UpstreamSettings;
  private readonly clock: Clock;
  private readonly connections: Connections;
  private readonly credentials: CallCredentials;
  private readonly limiter: RateLimiter | undefined;
  private readonly closing: AbortSignal;
  private readonly usual = new WeakMap<MethodRules, Usual>();

  constructor({ name, settings, clock, connections, credentials, limiter, closing }: Parts) {
    this.name = name;
    this.settings = settings;
    this.clock = clock;
    this.connections = connections;
    this.credentials = credentials;
    this.limiter = limiter;
    this.closing = closing;
  }

  async prepare(call: UpstreamCall): Promise<Prepared> {
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
    this.closing.throwIfAborted();
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

  /** The same without waiting, with credentials that are there already. */
  atOnce(call: UpstreamCall, credentials: Credentials): Prepared {
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

  private target(rules: MethodRules): Base {
    return usedBase(this.name, this.settings, rules.base);
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
