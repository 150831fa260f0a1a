import type { DescMethod } from "@bufbuild/protobuf";
import type { ClientMetadata } from "oidc-provider";
import type { AuthorizationHost } from "./host.ts";
import type { Interactions, Sessions } from "./interaction.ts";
import { createResourceServer, type ResourceServer } from "./resource/resource-server.ts";
import type { ScopeMap } from "./resource/scope-map.ts";
import { Tokens } from "./resource/tokens.ts";
import { type AuthorizationServer, createAuthorizationServer } from "./server/authorization-server.ts";
import { createGrants } from "./server/grants.ts";
import { type OwnClient, ownClientMetadata } from "./server/own-client.ts";
import type { Lifetimes } from "./server/provider.ts";
import { audiencesOf } from "./server/resource-indicator.ts";
import type { Store } from "./store/store.ts";

/** The options of caller authorization. */
export interface AuthorizationOptions {
  /** The origin at which callers reach the gateway. This is the issuer and the audience of tokens. */
  readonly publicUrl: string;
  /** The path of the endpoint that serves tools, which is a separate resource. Default: none. */
  readonly toolsPath?: string | undefined;
  /** The store, which is closed together with the gateway. */
  readonly store: Store;
  /**
   * The clients that need not register. Each `client_secret` is the SHA-256 hash of the secret, in base64url.
   */
  readonly clients: readonly ClientMetadata[];
  /** The client that is a page of the gateway itself, if people can sign in. Default: none. */
  readonly ownClient?: OwnClient | undefined;
  /** The registration settings; undefined if clients may not register themselves. */
  readonly registration: RegistrationOptions | undefined;
  readonly lifetimes: Lifetimes & { readonly clientSeconds: number };
  /** The sign-in for people. Default: nobody can sign in, and clients act only for themselves. */
  readonly signIn?: SignIn | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RegistrationOptions {
  /** The token that a client must present to register. Default: none. */
  readonly initialAccessToken: string | undefined;
  /** Default: all. */
  readonly redirectHosts: readonly string[] | undefined;
  readonly grants: readonly string[];
  /** Default: all. */
  readonly scopes: readonly string[] | undefined;
}

/** The sign-in for people: its pages and its sessions. */
export interface SignIn {
  readonly interactions: Interactions;
  readonly sessions: Sessions;
}

/** Provides the facts about the gateway's methods that authorization needs. */
export interface MethodFacts {
  readonly scopes: ScopeMap;
  /** Reports whether the upstream accepts only a person's credentials for this method. */
  readonly needsPerson: (method: DescMethod) => boolean;
  /** Reports whether a method may be called without a token. */
  readonly isOpen: (method: DescMethod) => boolean;
}

/** The authorization of callers: issues and checks tokens. */
export interface Authorization extends ResourceServer {
  readonly server: AuthorizationServer;
  close(): Promise<void>;
}

/** The interval at which expired rows are removed, in milliseconds. */
const SWEEP_MS = 60_000;

/** Creates the authorization of callers. */
export function createAuthorization(
  options: AuthorizationOptions,
  { scopes, needsPerson, isOpen }: MethodFacts,
  host: AuthorizationHost,
): Authorization {
  const { publicUrl, toolsPath, store, signIn, registration, now = Date.now } = options;
  const ownClient = signIn && options.ownClient;
  const { log, metrics } = host;
  const onError = (error: unknown) => {
    log.error({ cause: error instanceof Error ? causesOf(error) : String(error) }, "authorization failed");
  };
  const audiences = audiencesOf(options);
  const tokens = new Tokens({ store, audiences, sessions: signIn?.sessions, now });
  const server = createAuthorizationServer({
    ...options,
    ...host,
    now,
    clients: [...options.clients, ...(ownClient ? [ownClientMetadata(ownClient, scopes.names)] : [])],
    ownClient,
    grants: createGrants(store, signIn?.sessions, (grantId) => {
      tokens.forgetGrant(grantId);
      log.info({ grant: grantId }, "grant revoked");
    }),
    scopes: scopes.names,
    registration: registration && { ...registration, scopes: registration.scopes ?? scopes.names },
    interactions: signIn?.interactions,
    isAlive: (session) => signIn?.sessions.isAlive(session) ?? Promise.resolve(true),
    onRevoked: (token) => tokens.forget(token),
    onError,
  });
  const sweep = setInterval(() => void store.deleteExpired().catch(onError), SWEEP_MS).unref();
  return {
    server,
    ...createResourceServer({
      publicUrl,
      toolsPath,
      tokens,
      scopes,
      isOpen,
      needsPerson,
      error: host.error,
      onChecked: (outcome) => metrics.tokenChecked(outcome),
      onError,
    }),
    close: async () => {
      clearInterval(sweep);
      await store.close();
    },
  };
}

/** Returns the messages of an error and its causes, from the store, its library and the system. */
function causesOf(error: Error): string {
  const { cause } = error;
  const text = error.stack ?? error.message;
  return cause instanceof Error ? `${text}\ncaused by: ${causesOf(cause)}` : text;
}
