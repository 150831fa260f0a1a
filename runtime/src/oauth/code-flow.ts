import { ConnectError } from "@connectrpc/connect";
import { type Clock, systemClock } from "connect-rest-codec/internal";
import * as oauth from "oauth4webapi";
import { restError } from "../errors/rest-error.ts";
import { safeText } from "../text/safe-text.ts";
import { raced } from "../time/abort.ts";
import { requestTokens } from "../token-endpoint/token-request.ts";
import type { Send, TokenClient, Tokens } from "../token-endpoint/tokens.ts";
import type { AuthorizationServer } from "./discovery.ts";
import { atEndpoint, tokenReason } from "./endpoint-failure.ts";
import { fetchSend } from "./http.ts";
import type { OAuthHttp } from "./options.ts";
import { listenForRedirect, type Redirected } from "./redirect-server.ts";

/** How a person is led through a flow. */
export interface PersonOptions extends OAuthHttp {
  /** Leads the person to an address, e.g. opens a browser and prints it. */
  readonly open: (url: URL) => void | Promise<void>;
  /** The port of this machine that the browser comes back to. Default: a free one. */
  readonly port?: number | undefined;
  /** How long the person may take, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** How long a person may take. */
export const SIGN_IN_TIMEOUT_MS = 5 * 60_000;

/** What is asked for, of whom. */
export interface CodeFlow {
  readonly server: AuthorizationServer;
  /** The client, who may have to register with the address that the browser comes back to. */
  readonly client: (redirectUri: string) => Promise<TokenClient> | TokenClient;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  /** Keeps the tokens; the browser shows that it worked only then. */
  readonly keep: (tokens: Tokens, client: TokenClient) => Promise<void>;
}

/** What a person reads in the end. */
export const SIGNED_IN = {
  title: "You are signed in",
  text: "You may close this window and go back to the program that you came from.",
};

/**
 * Runs the authorization code flow with PKCE (OAuth 2.1 section 4.1) in a browser of this machine.
 *
 * @throws ConnectError with a reason that begins with OAUTH_, or what `keep` throws
 */
export async function runCodeFlow(flow: CodeFlow, options: PersonOptions): Promise<void> {
  const { server, scope, resource } = flow;
  const { clock = systemClock } = options;
  const state = oauth.generateRandomState();
  const listener = await listenForRedirect({
    port: options.port,
    isExpected: (parameters) => parameters.getAll("state").join() === state,
  });
  try {
    const { redirectUri } = listener;
    const client = await flow.client(redirectUri);
    const verifier = oauth.generateRandomCodeVerifier();
    const request: Flow = { server, client, state, verifier, redirectUri, scope, resource };
    await options.open(await authorizationUrl(request));
    const redirected = await inTime(listener.redirected, server.metadata.issuer, options, clock);
    await shown(redirected, async () => {
      await flow.keep(await redeem(request, redirected.parameters, fetchSend(options), clock), client);
    });
    await redirected.respond(SIGNED_IN);
  } finally {
    await listener.close();
  }
}

interface Flow {
  readonly server: AuthorizationServer;
  readonly client: TokenClient;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
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

/** Waits for the browser. */
export async function inTime(
  redirected: Promise<Redirected>,
  server: string,
  { timeoutMs = SIGN_IN_TIMEOUT_MS, signal }: PersonOptions,
  clock: Clock,
): Promise<Redirected> {
  const late = new AbortController();
  const stop = clock.after(timeoutMs, () => {
    const limit = `${timeoutMs / 1000} s`;
    late.abort(restError("OAUTH_SIGN_IN_TIMEOUT", { server, limit }));
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
export async function shown<T>(redirected: Redirected, work: () => Promise<T>): Promise<T> {
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
  const compared = new URLSearchParams(parameters);
  if (server.isIssuerKnown === false) compared.delete("iss");
  try {
    const valid = oauth.validateAuthResponse(metadata, { client_id: client.id }, compared, state);
    const [code, ...more] = valid.getAll("code");
    if (more.length > 0) throw refuse('the parameter "code" is there more than once');
    if (code !== undefined && code !== "") return code;
  } catch (error) {
    if (error instanceof ConnectError) throw error;
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

/** The token endpoint of a server. */
export function tokenEndpointOf({ metadata }: AuthorizationServer): URL {
  return new URL(metadata.token_endpoint ?? "");
}

/** The scope that some servers want for a refresh token (OpenID Connect). */
export const OFFLINE = "offline_access";
