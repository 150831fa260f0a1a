import { ConnectError } from "@connectrpc/connect";
import * as oauth from "oauth4webapi";
import { restError } from "../errors/rest-error.ts";
import { safeText } from "../text/safe-text.ts";
import { Secret } from "../text/secret.ts";
import { raced } from "../time/abort.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { requestTokens } from "../token-endpoint/token-request.ts";
import type { Send, TokenClient, Tokens } from "../token-endpoint/tokens.ts";
import { type AuthorizationServer, discover } from "./discovery.ts";
import { atEndpoint, tokenReason } from "./endpoint-failure.ts";
import { fetchSend } from "./http.ts";
import type { OAuthHttp } from "./options.ts";
import { listenForRedirect, type Redirected } from "./redirect-server.ts";
import { givenClient, registerClient } from "./registration.ts";
import { entryName, Session, type SessionDetails, type SessionStatus } from "./session.ts";
import type { TokenFile } from "./token-file.ts";

/** What both ways to sign in take. */
export interface ClientOptions extends OAuthHttp {
  /** Default: the client registers itself. */
  readonly clientId?: string | undefined;
  /** Default: none, for a public client. */
  readonly clientSecret?: string | Secret | undefined;
  /** Separated by spaces. Default: those that the server names in its 401 or its metadata, else none are asked for. */
  readonly scope?: string | undefined;
  /** What the tokens are for (RFC 8707). Default: what the metadata of the server says (RFC 9728), else none. */
  readonly resource?: string | undefined;
}

/** How a person signs in. */
export interface SignInOptions extends ClientOptions {
  /** Leads the person to an address, e.g. opens a browser and prints it. */
  readonly open: (url: URL) => void | Promise<void>;
  /** The port of this machine that the browser comes back to. Default: a free one. */
  readonly port?: number | undefined;
  /** The name under which the client registers. Default: `connect-rest`. */
  readonly clientName?: string | undefined;
  /** How long the person may take, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** How long a person may take. */
export const SIGN_IN_TIMEOUT_MS = 5 * 60_000;

/**
 * Signs a person in to a server (OAuth 2.1, authorization code with PKCE), and keeps the tokens in a file.
 *
 * @throws ConnectError with a reason that begins with OAUTH_ or TOKEN_FILE_
 */
export async function signIn(
  address: string,
  file: TokenFile,
  options: SignInOptions,
): Promise<SessionStatus> {
  const name = entryName(address);
  // what cannot be kept had better not be asked for
  await file.entries();
  const server = await discover(address, options);
  checkCodeFlow(server);
  const { clock = systemClock } = options;
  const send = fetchSend(options);
  const state = oauth.generateRandomState();
  const listener = await listenForRedirect({
    port: options.port,
    isExpected: (parameters) => parameters.getAll("state").join() === state,
  });
  try {
    const { redirectUri } = listener;
    const scope = scopeOf(server, options);
    const resource = options.resource ?? server.resource;
    const client = await clientFor(server, { ...options, scope }, redirectUri, send);
    const verifier = oauth.generateRandomCodeVerifier();
    const flow: Flow = { server, client, state, verifier, redirectUri, scope, resource };
    await options.open(await authorizationUrl(flow));
    const redirected = await inTime(listener.redirected, server, options, clock);
    const tokens = await shown(redirected, () => redeem(flow, redirected.parameters, send, clock));
    const details = detailsFor(server, client, { grant: "authorization_code", resource });
    await file.update(name, () => ({ details, tokens: { ...tokens, scope: tokens.scope ?? scope } }));
    await redirected.respond(SIGNED_IN);
  } finally {
    await listener.close();
  }
  return await statusAt(address, file, options);
}

/**
 * Signs a program in, in its own name (client credentials, RFC 6749 section 4.4): no person is asked, and none is meant.
 *
 * @throws ConnectError with a reason that begins with OAUTH_ or TOKEN_FILE_
 */
export async function signInAsClient(
  address: string,
  file: TokenFile,
  options: ClientOptions & { readonly clientId: string; readonly clientSecret: string | Secret },
): Promise<SessionStatus> {
  const name = entryName(address);
  await file.entries();
  const server = await discover(address, options);
  const send = fetchSend(options);
  const { clock = systemClock, scope } = options;
  const resource = options.resource ?? server.resource;
  const client = givenClient(server, options.clientId, Secret.of(options.clientSecret));
  const endpoint = { url: tokenEndpointOf(server), client, send };
  const tokens = await atEndpoint(server.metadata.issuer, tokenReason, () =>
    requestTokens(endpoint, { type: "client_credentials", parameters: { scope, resource } }, clock.now()),
  );
  const details = detailsFor(server, client, { grant: "client_credentials", scope, resource });
  await file.update(name, () => ({ details, tokens }));
  return await statusAt(address, file, options);
}

const SIGNED_IN = {
  title: "You are signed in",
  text: "You may close this window and go back to the program that you came from.",
};

interface Flow {
  readonly server: AuthorizationServer;
  readonly client: TokenClient;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

/** Refuses servers at which a code could be stolen (OAuth 2.1 section 7.5), or that do not give any. */
function checkCodeFlow({ metadata, hasMetadata }: AuthorizationServer): void {
  const refuse = (expected: string, got: string) =>
    restError("OAUTH_METADATA_INVALID", { url: metadata.issuer, expected, got });
  const { authorization_endpoint: endpoint, response_types_supported: types } = metadata;
  const { grant_types_supported: grants, code_challenge_methods_supported: methods } = metadata;
  if (endpoint === undefined) throw refuse("an authorization_endpoint", "none");
  if (!hasMetadata) return;
  const listed = (list: readonly string[] | undefined) => list?.join(", ") || "none";
  if (types !== undefined && !types.includes("code")) {
    throw refuse("response_types_supported with code", listed(types));
  }
  if (grants !== undefined && !grants.includes("authorization_code")) {
    throw refuse("grant_types_supported with authorization_code", listed(grants));
  }
  if (methods?.includes("S256") !== true) {
    throw refuse("code_challenge_methods_supported with S256 (PKCE)", listed(methods));
  }
}

function scopeOf({ metadata, scope }: AuthorizationServer, options: ClientOptions): string | undefined {
  if (options.scope !== undefined || scope === undefined) return options.scope;
  const isOffline = metadata.scopes_supported?.includes(OFFLINE) === true;
  return isOffline && !scope.split(" ").includes(OFFLINE) ? `${scope} ${OFFLINE}` : scope;
}

/** The scope that some servers want for a refresh token (OpenID Connect). */
const OFFLINE = "offline_access";

async function clientFor(
  server: AuthorizationServer,
  { clientId, clientSecret, clientName = "connect-rest", scope }: SignInOptions,
  redirectUri: string,
  send: Send,
): Promise<TokenClient> {
  const secret = clientSecret === undefined ? undefined : Secret.of(clientSecret);
  if (clientId !== undefined) return givenClient(server, clientId, secret);
  return await registerClient(server, { name: clientName, redirectUris: [redirectUri], scope }, send);
}

async function authorizationUrl(flow: Flow): Promise<URL> {
  const { server, client, state, verifier, redirectUri, scope, resource } = flow;
  // a query that the endpoint has stays (RFC 6749 section 3.1)
  const url = new URL(server.metadata.authorization_endpoint ?? "");
  const parameters = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource,
    // without it there is no offline_access (OpenID Connect Core section 11)
    prompt: scope?.split(" ").includes(OFFLINE) === true ? "consent" : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

async function inTime(
  redirected: Promise<Redirected>,
  { metadata }: AuthorizationServer,
  { timeoutMs = SIGN_IN_TIMEOUT_MS, signal }: SignInOptions,
  clock: Clock,
): Promise<Redirected> {
  const late = new AbortController();
  const stop = clock.after(timeoutMs, () => {
    const limit = `${timeoutMs / 1000} s`;
    late.abort(restError("OAUTH_SIGN_IN_TIMEOUT", { server: metadata.issuer, limit }));
  });
  try {
    return await raced(
      redirected,
      signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    );
  } finally {
    stop();
  }
}

/** Does work whose failure the person sees in the browser. */
async function shown<T>(redirected: Redirected, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = error instanceof ConnectError ? error.rawMessage : "The program has failed.";
    await redirected.respond({ title: "Not signed in", text });
    throw error;
  }
}

async function redeem(flow: Flow, parameters: URLSearchParams, send: Send, clock: Clock): Promise<Tokens> {
  const { server, client, redirectUri, verifier, resource } = flow;
  const { issuer } = server.metadata;
  const code = codeIn(flow, parameters);
  return await atEndpoint(issuer, tokenReason, () => {
    const grant = { code, redirect_uri: redirectUri, code_verifier: verifier, resource };
    const endpoint = { url: tokenEndpointOf(server), client, send };
    return requestTokens(endpoint, { type: "authorization_code", parameters: grant }, clock.now());
  });
}

/** The code of a response that is of this sign-in and this server: state, and issuer (RFC 9207). */
function codeIn({ server, client, state }: Flow, parameters: URLSearchParams): string {
  const { metadata } = server;
  const refuse = (problem: string) =>
    restError("OAUTH_AUTHORIZATION_INVALID", { server: metadata.issuer, problem });
  try {
    const valid = oauth.validateAuthResponse(metadata, { client_id: client.id }, parameters, state);
    const code = valid.get("code");
    if (code !== null && code !== "") return code;
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw refusal(metadata.issuer, error);
    // the message of the library names the parameter, not its value
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  throw refuse("expected a code, got none");
}

function refusal(server: string, { error, error_description: text }: oauth.AuthorizationResponseError) {
  const problem = text === undefined ? error : `${error}: ${text}`;
  const metadata = { error: safeText(error, 64) };
  return restError("OAUTH_AUTHORIZATION_REFUSED", { server, problem }, { metadata });
}

function tokenEndpointOf({ metadata }: AuthorizationServer): URL {
  return new URL(metadata.token_endpoint ?? "");
}

function detailsFor(
  { metadata }: AuthorizationServer,
  client: TokenClient,
  { grant, scope, resource }: Pick<SessionDetails, "grant" | "scope" | "resource">,
): Record<string, string> {
  const details: SessionDetails = {
    issuer: metadata.issuer,
    tokenEndpoint: metadata.token_endpoint ?? "",
    revocationEndpoint: metadata.revocation_endpoint,
    clientId: client.id,
    clientSecret: client.secret?.reveal(),
    clientMethod: client.method,
    grant,
    scope,
    resource,
  };
  const entries = Object.entries(details).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(entries);
}

async function statusAt(address: string, file: TokenFile, http: OAuthHttp): Promise<SessionStatus> {
  const status = await new Session(address, file, http).status();
  if (status !== undefined) return status;
  // somebody removed it at this very moment
  throw restError("OAUTH_SIGN_IN_NEEDED", { server: entryName(address), problem: "signed out again" });
}
