import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ClientMetadata } from "oidc-provider";
import type { Limits, OnLimit } from "../limits.ts";
import { Callbacks } from "../listener/callbacks.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Store } from "../store/store.ts";
import type { Interactions, Sessions } from "./interaction.ts";
import { type Authenticate, createResourceServer } from "./resource/resource-server.ts";
import { createScopeMap, type ScopeOptions } from "./resource/scopes.ts";
import { Tokens } from "./resource/tokens.ts";
import { type AuthorizationServer, createAuthorizationServer } from "./server/authorization-server.ts";
import { createGrants, type Grants } from "./server/grants.ts";
import type { Lifetimes } from "./server/provider.ts";

/** What may be read without a token. */
export interface OpenParts {
  readonly health: boolean;
  readonly reflection: boolean;
  readonly pages: boolean;
}

/** How callers are authorized. */
export interface AuthorizationOptions {
  /** The origin by which callers reach the gateway: issuer and audience of tokens. */
  readonly publicUrl: string;
  /** Closed together with the gateway. */
  readonly store: Store;
  readonly scopes: readonly ScopeOptions[];
  /** Clients that need not register; their secrets hashed by `hashOf`. */
  readonly clients: readonly ClientMetadata[];
  /** Undefined where no client may register itself. */
  readonly registration: RegistrationOptions | undefined;
  readonly lifetimes: Lifetimes & { readonly clientSeconds: number };
  readonly open: OpenParts;
  /** Signs people in. Made with what it needs of the server. Default: nobody can, and clients act for themselves. */
  readonly signIn?: ((parts: SignInParts) => SignIn) | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RegistrationOptions {
  /** The token that clients have to bring. Default: none. */
  readonly initialAccessToken: string | undefined;
  /** Default: all. */
  readonly redirectHosts: readonly string[] | undefined;
  readonly grants: readonly string[];
  /** Default: all. */
  readonly scopes: readonly string[] | undefined;
}

/** What sign-in needs of the rest. */
export interface SignInParts {
  readonly publicUrl: string;
  readonly store: Store;
  readonly grants: Grants;
  readonly log: Logger;
  readonly now: () => number;
}

/** What signs people in. */
export interface SignIn {
  readonly interactions: Interactions;
  readonly sessions: Sessions;
}

/** What the adapters say of the methods. */
export interface MethodFacts {
  /** The scopes of their rules. */
  readonly annotated: ReadonlyMap<DescMethod, readonly string[]>;
  /** Whether a method has nothing to be called with upstream, but a person's credentials. */
  readonly needsPerson: (method: DescMethod) => boolean;
}

/** What the authorization of callers reports to. */
export interface AuthorizationReports {
  readonly limits: Limits;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly onLimit: OnLimit;
}

/** Callers are authorized: issues tokens, and checks them. */
export interface Authorization {
  readonly server: AuthorizationServer;
  readonly open: OpenParts;
  /** The check of calls, once the services of the gateway itself are known. */
  authenticate(own: OwnServices): Authenticate;
  close(): Promise<void>;
}

/** The services of the gateway itself. */
export interface OwnServices {
  readonly health: DescService;
  readonly reflection: readonly DescService[];
}

/** How often expired rows are removed, in milliseconds. */
const SWEEP_MS = 60_000;

/** Creates the authorization of callers. */
export function createAuthorization(
  options: AuthorizationOptions,
  { annotated, needsPerson }: MethodFacts,
  { limits, log, metrics, onLimit }: AuthorizationReports,
): Authorization {
  const { publicUrl, store, open, now = Date.now } = options;
  const scopes = createScopeMap(options.scopes, annotated);
  const onError = (error: unknown) => {
    log.error({ cause: error instanceof Error ? causesOf(error) : String(error) }, "authorization failed");
  };
  let sessions: Sessions | undefined;
  const grants = createGrants(
    store,
    { isAlive: (id) => sessions?.isAlive(id) ?? Promise.resolve(true), end: async (id) => sessions?.end(id) },
    (grantId) => {
      tokens.forgetGrant(grantId);
      log.info({ grant: grantId }, "grant revoked");
    },
  );
  const signIn = options.signIn?.({ publicUrl, store, grants, log, now });
  sessions = signIn?.sessions;
  const tokens = new Tokens({ store, publicUrl, sessions, now });
  const registration = options.registration && {
    ...options.registration,
    scopes: options.registration.scopes ?? scopes.names,
  };
  const server = createAuthorizationServer({
    publicUrl,
    store,
    grants,
    scopes: scopes.names,
    clients: options.clients,
    registration,
    lifetimes: options.lifetimes,
    interactions: signIn?.interactions,
    isAlive: (session) => sessions?.isAlive(session) ?? Promise.resolve(true),
    limits,
    now,
    onEvent: ({ endpoint, outcome, client }) => {
      metrics.authorized(endpoint, outcome);
      if (endpoint !== "metadata") log.info({ endpoint, outcome, client }, "authorization");
    },
    onGrant: (grant, outcome) => metrics.tokenGranted(grant, outcome),
    onRevoked: (token) => tokens.forget(token),
    onReuse: (kind, clientId) => {
      metrics.tokenReused(kind === "RefreshToken" ? "refresh_token" : "code");
      log.warn({ kind, clientId }, "used again, its grant is revoked");
    },
    onLimit,
    onError,
  });
  const sweep = new Callbacks(onError).every(SWEEP_MS, () => void store.deleteExpired().catch(onError));
  return {
    server,
    open,
    authenticate: ({ health, reflection }) =>
      createResourceServer({
        publicUrl,
        tokens,
        scopes,
        isOpen: ({ parent }) =>
          (open.health && parent === health) || (open.reflection && reflection.includes(parent)),
        needsPerson,
        onChecked: (outcome) => metrics.tokenChecked(outcome),
        onError,
      }),
    close: async () => {
      sweep.stop();
      await store.close();
    },
  };
}

/** The texts of an error and its causes: of the store, its library, and the system. */
function causesOf(error: Error): string {
  const { cause } = error;
  const text = error.stack ?? error.message;
  return cause instanceof Error ? `${text}\ncaused by: ${causesOf(cause)}` : text;
}
