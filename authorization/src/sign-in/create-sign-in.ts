import { Code } from "@connectrpc/connect";
import {
  type Credentials,
  createUpstreamFetch,
  type Secret,
  type UpstreamFetch,
  type UpstreamOptions,
} from "connect-rest-runtime";
import type { AuthorizationHost } from "../host.ts";
import type { Interactions } from "../interaction.ts";
import { KeyRing } from "../store/sealed.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { Consents } from "./consents.ts";
import { FlowRows } from "./flow-rows.ts";
import { SignIn, type SignInProvider } from "./interactions.ts";
import { OAuth1Provider, type OAuth1ProviderSettings } from "./oauth1-provider.ts";
import { OAuth2Provider, type OAuth2ProviderSettings } from "./oauth2-provider.ts";
import { type CallMethod, methodProbe, type Probe, urlProbe } from "./probe.ts";
import { SessionRows } from "./session-rows.ts";
import { SignInSessions } from "./sessions.ts";

/** The settings of a probe: a method of the upstream, or an address that returns JSON. */
export type ProbeSettings =
  | { readonly method: string; readonly request?: unknown }
  | { readonly url: string; readonly method?: undefined };

/** The sign-in settings of one upstream. */
export interface ProviderSettings {
  /** The upstream's name. */
  readonly name: string;
  readonly title: string;
  readonly required: boolean;
  readonly server:
    | { readonly kind: "oauth2"; readonly settings: OAuth2ProviderSettings }
    | { readonly kind: "oauth1"; readonly settings: OAuth1ProviderSettings };
  readonly identity: { readonly probe: ProbeSettings; readonly field: string };
  readonly check?: { readonly probe: ProbeSettings; readonly everyMs: number } | undefined;
}

/** The sign-in settings. */
export interface SignInSettings {
  readonly keys: readonly Secret[];
  readonly idleMs: number;
  readonly sessionMs: number;
  readonly consentMs: number;
  readonly providers: readonly ProviderSettings[];
  /** The permissions that each scope gives, in words. Default: the names of the scopes. */
  readonly permissions?: Readonly<Record<string, string>> | undefined;
}

export interface CreateSignInOptions {
  readonly settings: SignInSettings;
  readonly store: Store;
  /**
   * The upstreams by name. Sign-in at an upstream uses the network settings of the upstream with the same
   * name.
   */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  readonly call: CallMethod;
  readonly host: Pick<AuthorizationHost, "log" | "metrics" | "error">;
  readonly now?: (() => number) | undefined;
}

/** The parts of sign-in. */
export interface SignInParts {
  readonly interactions: Interactions;
  readonly sessions: SignInSessions;
  /** The upstreams at which people sign in. */
  readonly upstreams: readonly string[];
  /**
   * Returns the credentials of a session at an upstream, refreshed if they are due.
   *
   * @throws ConnectError UNAUTHENTICATED, reason SESSION_ENDED; UNAVAILABLE, reason SESSION_UNAVAILABLE or
   *   STORE_UNAVAILABLE
   */
  credentials(sessionId: string, upstream: string): Promise<Credentials>;
  close(): Promise<void>;
}

/**
 * Creates the parts of sign-in.
 *
 * @throws Error for an invalid key; ConnectError for invalid network settings
 */
export function createSignIn(options: CreateSignInOptions): SignInParts {
  const { settings, store, host, now = Date.now } = options;
  const { log, metrics, error } = host;
  const permissions = new Map(Object.entries(settings.permissions ?? {}));
  const ring = new KeyRing(settings.keys);
  const providers = settings.providers.map((each) => createProvider(each, options, now));
  const sessions = new SignInSessions({
    providers: new Map(providers.map((each) => [each.name, each])),
    rows: new SessionRows(store, ring, log),
    store,
    timeouts: { idleMs: settings.idleMs, absoluteMs: settings.sessionMs },
    log,
    metrics,
    error,
    now,
  });
  const interactions = new SignIn({
    providers,
    flows: new FlowRows(store, ring),
    sessions,
    consents: new Consents(store, settings.consentMs, now),
    ring,
    describeScope: (scope) => permissions.get(scope) ?? scope,
    log,
    metrics,
  });
  return {
    interactions,
    sessions,
    upstreams: providers.map(({ name }) => name),
    credentials: (id, upstream) =>
      sessions.credentials(id, upstream).catch((cause: unknown) => {
        if (!(cause instanceof StoreError)) throw cause;
        const text = "the session of the caller cannot be read at the moment; try again";
        throw error("STORE_UNAVAILABLE", text, Code.Unavailable, cause);
      }),
    close: async () => {
      await Promise.all(providers.map(({ http }) => http.close()));
    },
  };
}

interface Provider extends SignInProvider {
  readonly http: UpstreamFetch;
  readonly check: { readonly probe: Probe; readonly everyMs: number } | undefined;
}

function createProvider(
  { name, title, required, server, identity, check }: ProviderSettings,
  { upstreams, call }: CreateSignInOptions,
  now: () => number,
): Provider {
  const probes = [identity.probe, ...(check === undefined ? [] : [check.probe])];
  const http = createUpstreamFetch(name, networkOf(upstreams[name] ?? {}), {
    origins: [...new Set([...endpointsOf(server.settings), ...probes.flatMap(addressOf)].map(originOf))],
  });
  const probeOf = (probe: ProbeSettings): Probe =>
    probe.method === undefined
      ? urlProbe(probe.url, http, now)
      : methodProbe(probe.method, probe.request, call);
  return {
    name,
    title,
    required,
    http,
    provider:
      server.kind === "oauth2"
        ? new OAuth2Provider(server.settings, http, now)
        : new OAuth1Provider(server.settings, http, now),
    consumer: server.kind === "oauth1" ? server.settings : undefined,
    identity: { probe: probeOf(identity.probe), field: identity.field },
    check: check && { probe: probeOf(check.probe), everyMs: check.everyMs },
  };
}

/**
 * Returns the network settings of an upstream, except the name in certificates, which applies only to its
 * base URL.
 */
function networkOf(upstream: UpstreamOptions): UpstreamOptions {
  const { baseUrl: _, bases: __, credentials: ___, redirects: ____, tls, ...network } = upstream;
  return { ...network, ...(tls !== undefined && { tls: { ...tls, serverName: undefined } }) };
}

function endpointsOf(settings: OAuth1ProviderSettings | OAuth2ProviderSettings): string[] {
  if ("requestTokenEndpoint" in settings) {
    return [settings.requestTokenEndpoint, settings.accessTokenEndpoint];
  }
  const { tokenEndpoint, revocationEndpoint } = settings;
  return revocationEndpoint === undefined ? [tokenEndpoint] : [tokenEndpoint, revocationEndpoint];
}

function addressOf(probe: ProbeSettings): string[] {
  return "url" in probe ? [probe.url] : [];
}

function originOf(address: string): string {
  return new URL(address).origin;
}
