import type { Clock } from "connect-rest-codec/internal";
import type { MethodRules } from "../adapter/rules.ts";
import {
  type Authorizable,
  type Authorization,
  authorize,
  chooseKind,
  NO_AUTHORIZATION,
} from "../credentials/authorize.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Requester } from "../http/requester.ts";
import type { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { NO_REQUEST } from "../request/with-headers.ts";
import { fullName } from "../text/full-name.ts";
import { type Base, pathBelow } from "./base.ts";
import type { CallCredentials } from "./call-credentials.ts";
import type { Connections } from "./connections.ts";
import { type UpstreamSettings, usedBase } from "./options.ts";
import { isPlain, outgoing, plainOutgoing } from "./outgoing.ts";
import type { Prepared, Sender } from "./responses.ts";
import type { UpstreamCall } from "./upstream.ts";

/** The parts of requests that are the same for all requests of a method with the same credentials. */
interface Usual {
  readonly credentials: Pick<Credentials, "apiKey" | "oauth1" | "oauth2" | "basic">;
  readonly base: Base;
  readonly requester: Requester;
  readonly authorization: Authorization;
  readonly sender: Sender;
  /** The headers of requests that add no headers themselves. */
  readonly headers: readonly string[];
}

/** The dependencies of a preparer. */
interface Parts {
  readonly name: string;
  readonly settings: UpstreamSettings;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly credentials: CallCredentials;
  /** Undefined if known limits are not enforced. */
  readonly limiter: RateLimiter | undefined;
  /** Aborted when the upstream is closed. */
  readonly closing: AbortSignal;
}

/** Prepares the HTTP requests to an upstream: address, credentials, headers and body. */
export class RequestPreparer {
  private readonly parts: Parts;
  private readonly usual = new WeakMap<MethodRules, Usual>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Prepares a request. A request to a redirect target also counts against rate limits. */
  async prepare(call: UpstreamCall): Promise<Prepared> {
    if (call.hop !== undefined) this.parts.closing.throwIfAborted();
    const { origin, path } = call.hop ?? this.placeOf(call);
    if (call.trace?.isDry === true) return this.prepared(call, origin, path, this.parts.credentials.fixed);
    const credentials = await this.parts.credentials.of(call);
    await this.limited(call, credentials);
    return this.prepared(call, origin, path, credentials);
  }

  private placeOf({ rules, request }: UpstreamCall): Pick<Authorizable, "origin" | "path"> {
    const base = this.target(rules);
    return { origin: base.origin, path: pathBelow(this.parts.name, base, request.path) };
  }

  /**
   * Prepares a request. A redirect to a foreign origin gets no credentials.
   *
   * @param credentials undefined in a dry run that would have to request the credentials
   */
  private prepared(
    call: UpstreamCall,
    origin: string,
    path: string,
    credentials: Credentials | undefined,
  ): Prepared {
    const { method, rules, request, stream, hop, caller, trace } = call;
    const { connections, settings, clock } = this.parts;
    const authorization =
      hop?.isForeign === true || credentials === undefined
        ? NO_AUTHORIZATION
        : authorize({ method, rules, request, origin, path }, credentials, clock);
    const requester = hop === undefined ? connections.base(origin) : connections.hop(hop);
    const kind = credentials === undefined ? "unknown" : authorization.kind;
    return {
      requester: trace === undefined ? requester : trace.through(requester, call, kind),
      sent: outgoing({ rules, request, stream, origin, path, authorization, caller }, settings, clock),
      sender: this.senderOf(authorization, call, credentials ?? {}),
    };
  }

  /**
   * Waits for rate limits before the request is signed, since a signature must not become outdated during the
   * wait.
   */
  private async limited(call: UpstreamCall, credentials: Credentials): Promise<void> {
    const { rateLimits: rules = [] } = call.rules;
    const { limiter } = this.parts;
    if (limiter === undefined || rules.length === 0) return;
    const kind = chooseKind(call, credentials);
    const identity = () => this.parts.credentials.hash(kind, credentials);
    const { signal, expiresAt, method } = call;
    await limiter.admit({ method: fullName(method), rules, identity, signal, expiresAt });
  }

  private senderOf(
    { kind, secrets }: Authorization,
    call: Pick<UpstreamCall, "onSecrets">,
    credentials: Credentials,
  ): Sender {
    call.onSecrets?.(secrets);
    const { areConfigured, mayBeRefreshed } = this.parts.credentials;
    const { secrets: others } = this.parts.connections;
    return {
      ...(mayBeRefreshed && HAS_TOKEN.has(kind) && { rejected: credentials.rejected }),
      configuredCredentials: kind !== "none" && areConfigured,
      secrets: others.length === 0 ? secrets : [...secrets, ...others],
    };
  }

  /** Prepares a request synchronously, with credentials that are already available. */
  atOnce(call: UpstreamCall, credentials: Credentials): Prepared {
    const { rules, request, caller } = call;
    const usual = this.usualOf(call, credentials);
    const base = usual?.base ?? this.target(rules);
    const path = pathBelow(this.parts.name, base, request.path);
    if (usual === undefined || !isPlain(request)) return this.prepared(call, base.origin, path, credentials);
    const { authorization, headers, requester, sender } = usual;
    call.onSecrets?.(authorization.secrets);
    const { origin } = base;
    const sent = plainOutgoing({ origin, rules, request, path, authorization, caller }, headers);
    return { requester, sent, sender };
  }

  /**
   * Returns the common parts of requests. Returns undefined if each request is signed, or if requests may use
   * a proxy whose secrets become known later.
   */
  private usualOf(call: UpstreamCall, credentials: Credentials): Usual | undefined {
    const { rules } = call;
    const known = this.usual.get(rules);
    if (known !== undefined && areSame(known.credentials, credentials)) return known;
    const kind = chooseKind(call, credentials);
    if (kind === "oauth1" || kind === "oauth1_client" || this.parts.connections.secrets.length > 0) {
      return undefined;
    }
    const made = this.makeUsual(call, credentials);
    this.usual.set(rules, made);
    return made;
  }

  private makeUsual({ method, rules }: UpstreamCall, credentials: Credentials): Usual {
    const base = this.target(rules);
    const { origin, prefix: path } = base;
    const { connections, settings, clock } = this.parts;
    const call = { method, rules, request: NO_REQUEST, origin, path };
    const authorization = authorize(call, credentials, clock);
    const { headers } = outgoing({ ...call, authorization }, settings, clock);
    const { apiKey, oauth1, oauth2, basic } = credentials;
    return {
      credentials: { apiKey, oauth1, oauth2: oauth2 && { ...oauth2 }, basic: basic && { ...basic } },
      base,
      requester: connections.base(origin),
      authorization,
      sender: this.senderOf(authorization, {}, credentials),
      headers: Object.freeze(headers as string[]),
    };
  }

  private target(rules: MethodRules): Base {
    return usedBase(this.parts.name, this.parts.settings, rules.base);
  }
}

/**
 * Reports whether credentials are unchanged. A program may modify credentials in place. OAuth 1.0a
 * credentials are never cached.
 */
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

/** Kinds of credentials with a token, which may have expired. */
const HAS_TOKEN: ReadonlySet<Authorization["kind"]> = new Set(["oauth1", "oauth2"]);
