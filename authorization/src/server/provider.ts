import { generateKeyPairSync, randomUUID, timingSafeEqual } from "node:crypto";
import { hashOf, isOn, matchesRedirectUri } from "connect-rest-runtime/internal";
import Provider, { type ClientMetadata, type Configuration, errors, interactionPolicy } from "oidc-provider";
import { INTERACTION_PATH } from "../interaction.ts";
import { type AdapterOptions, createAdapter, orUnavailable } from "./adapter.ts";
import { checkAssertion } from "./client-assertion.ts";
import { checkOneSignature } from "./client-keys.ts";
import { GRANT_KIND } from "./grants.ts";
import type { OwnClient } from "./own-client.ts";
import { settleAuthorizationRequests, settleScopes } from "./requested.ts";
import { audiencesOf } from "./resource-indicator.ts";
import { currentWork } from "./work.ts";

/** The lifetimes of codes and tokens, in seconds. */
export interface Lifetimes {
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  readonly grantSeconds: number;
}

export interface ProviderOptions {
  /** The issuer, and the audience of tokens for the gateway. */
  readonly publicUrl: string;
  readonly toolsPath?: string | undefined;
  readonly scopes: readonly string[];
  /** The configured clients, with hashed secrets. */
  readonly clients: readonly ClientMetadata[];
  readonly ownClient?: OwnClient | undefined;
  readonly lifetimes: Lifetimes;
  readonly registration: { readonly isOpen: boolean; readonly initialAccessToken: string | undefined };
  readonly adapter: AdapterOptions;
  /** Reports whether the session to which a grant is bound is alive. */
  readonly isAlive: (sessionId: string) => Promise<boolean>;
}

/** The lifetime of a code, in seconds. */
const CODE_SECONDS = 60;

/** The maximum time that a person may take to sign in, in seconds. */
export const INTERACTION_SECONDS = 600;

export const METADATA_PATH = "/.well-known/oauth-authorization-server";

/**
 * The paths of the engine's endpoints. They are the default paths for clients of the Model Context Protocol
 * that find no metadata (revision 2025-03-26).
 */
const ROUTES = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  jwks: "/authorize/jwks",
};

/**
 * Creates the engine without OpenID Connect features, and with stricter rules: PKCE for all clients, one
 * audience, opaque tokens, single-use refresh tokens. The engine itself sends no requests.
 */
export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.publicUrl, configurationOf(options));
  compareSecretsByHash(provider);
  compareRedirectUris(provider, options);
  settleAuthorizationRequests(provider, options.scopes);
  checkOneSignature(provider);
  return provider;
}

/** Returns the configuration of the engine. The engine ignores unknown settings, so a test detects them. */
export function configurationOf(options: ProviderOptions): Configuration {
  return {
    adapter: createAdapter(options.adapter),
    routes: ROUTES,
    scopes: [...options.scopes, "offline_access"],
    claims: {},
    responseTypes: ["code"],
    subjectTypes: ["public"],
    ...clientSettings(options),
    ...grantSettings(),
    ...personSettings(options),
    ttl: secondsOf(options.lifetimes),
    cookies: COOKIES,
    clientBasedCORS: () => true,
    // rejected, because the addresses come from the metadata of clients
    fetch: () => Promise.reject(new Error("the authorization server fetches nothing")),
    jwks: { keys: [unusedKey()] },
    renderError: (context, out) => {
      context.type = "json";
      context.body = out;
      return Promise.resolve();
    },
    features: featuresOf(options),
  };
}

function compareSecretsByHash({ Client }: Provider): void {
  Client.prototype.compareClientSecret = function (this: { clientSecret?: string }, actual: string) {
    return this.clientSecret !== undefined && isEqual(hashOf(actual), this.clientSecret);
  };
}

function compareRedirectUris({ Client }: Provider, { publicUrl, ownClient }: ProviderOptions): void {
  type Compared = { clientId?: string; redirectUris?: string[] };
  Client.prototype.redirectUriAllowed = function (this: Compared, uri: string) {
    if (this.clientId === ownClient?.id) return uri === ownClient?.redirectUri;
    if (isOn(publicUrl, uri)) return false;
    return (this.redirectUris ?? []).some((registered) => matchesRedirectUri(uri, registered));
  };
}

/** Returns the settings of clients and their authentication. */
function clientSettings({ clients, adapter: { now } }: ProviderOptions): Configuration {
  return {
    clients: [...clients],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    clientDefaults: {
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_basic",
      id_token_signed_response_alg: "EdDSA",
    },
    assertJwtClientAuthClaimsAndHeader: (_context, claims, header) => {
      checkAssertion(claims, header, now());
      return Promise.resolve();
    },
    allowOmittingSingleRegisteredRedirectUri: true,
  };
}

/** Returns the settings of grants. */
function grantSettings(): Configuration {
  return {
    pkce: { required: () => true },
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    issueRefreshToken: (_context, client) => Promise.resolve(client.grantTypeAllowed("refresh_token")),
    expiresWithSession: () => Promise.resolve(false),
  };
}

/**
 * Returns the settings that concern people: where they sign in, and the session to which their tokens are
 * bound.
 */
function personSettings({ isAlive }: ProviderOptions): Configuration {
  return {
    findAccount: async (_context, id, token) => {
      const grantId = token !== undefined && "grantId" in token ? token.grantId : undefined;
      const session = await sessionOf(grantId);
      // an ended session gets no more tokens
      if (session !== undefined && !(await orUnavailable(isAlive(session)))) return undefined;
      return { accountId: id, claims: () => Promise.resolve({ sub: id }) };
    },
    interactions: { url: (_context, { uid }) => `${INTERACTION_PATH}/${uid}`, policy: policy() },
    extraTokenClaims: async (_context, token) => {
      if (token.kind !== "AccessToken") return undefined;
      const session = await sessionOf(token.grantId);
      return session === undefined ? undefined : { session };
    },
  };
}

function secondsOf(lifetimes: Lifetimes): NonNullable<Configuration["ttl"]> {
  return {
    AccessToken: lifetimes.accessTokenSeconds,
    ClientCredentials: lifetimes.accessTokenSeconds,
    RefreshToken: lifetimes.refreshTokenSeconds,
    Grant: lifetimes.grantSeconds,
    AuthorizationCode: CODE_SECONDS,
    Interaction: INTERACTION_SECONDS,
    Session: INTERACTION_SECONDS,
    IdToken: CODE_SECONDS,
  };
}

function featuresOf(options: ProviderOptions): NonNullable<Configuration["features"]> {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    requestObjects: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    claimsParameter: { enabled: false },
    dPoP: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: {
      enabled: true,
      allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
    },
    registration: {
      enabled: options.registration.isOpen,
      initialAccessToken: options.registration.initialAccessToken ?? false,
      idFactory: () => randomUUID(),
      issueRegistrationAccessToken: false,
    },
    resourceIndicators: resourceIndicators(options),
  };
}

/**
 * Returns the settings of the resources. If a client names no resource, its tokens are issued for the
 * gateway.
 */
function resourceIndicators(options: ProviderOptions): ResourceIndicators {
  const { publicUrl, scopes, lifetimes } = options;
  const audiences = audiencesOf(options);
  return {
    enabled: true,
    defaultResource: () => publicUrl,
    useGrantedResource: () => true,
    getResourceServerInfo: (context, resource, client) => {
      if (!audiences.includes(resource)) throw new errors.InvalidTarget("this resource is not served here");
      if (context.oidc.params?.grant_type === "client_credentials") {
        settleScopes(context, scopes, client.scope);
      }
      return {
        scope: scopes.join(" "),
        audience: resource,
        accessTokenFormat: "opaque",
        accessTokenTTL: lifetimes.accessTokenSeconds,
      };
    },
  };
}

type ResourceIndicators = NonNullable<NonNullable<Configuration["features"]>["resourceIndicators"]>;

/** Returns the session to which a grant is bound. */
async function sessionOf(grantId: string | undefined): Promise<string | undefined> {
  if (grantId === undefined) return undefined;
  return (await orUnavailable(currentWork().get(GRANT_KIND, grantId)))?.session;
}

/** Cookies with random IDs and a restricted path need no signature. */
const COOKIE = { signed: false, httpOnly: true, sameSite: "lax", overwrite: true } as const;

const COOKIES = {
  names: {
    session: "connect_rest_session",
    interaction: "connect_rest_interaction",
    resume: "connect_rest_resume",
  },
  short: COOKIE,
  long: COOKIE,
};

/**
 * Makes people sign in again for each authorization request, so that the prompts `login` and `select_account`
 * are always honored. Sign-in remembers consents, and honors the prompt `consent`.
 */
function policy(): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy;
  const check = new Check("sign_in", "a person has to sign in", ({ oidc }) => {
    return oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
  return [
    new Prompt({ name: "login", requestable: true }, check),
    new Prompt({ name: "consent", requestable: true }),
    new Prompt({ name: "select_account", requestable: true }),
  ];
}

/** Returns a key for ID tokens. The engine requires the key, although it issues no ID tokens. */
function unusedKey() {
  const { privateKey } = generateKeyPairSync("ed25519");
  return { ...privateKey.export({ format: "jwk" }), kty: "OKP" as const, use: "sig" as const, alg: "EdDSA" };
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
