import { ConnectError } from "@connectrpc/connect";
import { type Clock, systemClock } from "connect-rest-codec/internal";
import * as oauth from "oauth4webapi";
import { restError } from "../errors/rest-error.ts";
import { safeText } from "../text/safe-text.ts";
import { requestTokens } from "../token-endpoint/token-request.ts";
import type { Send, TokenClient, Tokens } from "../token-endpoint/tokens.ts";
import { inBrowser, type PersonOptions } from "./browser.ts";
import type { AuthorizationServer } from "./discovery.ts";
import { atEndpoint, tokenReason } from "./endpoint-failure.ts";
import { fetchSend } from "./http.ts";

/** The parameters of the authorization code flow. */
export interface CodeFlow {
  readonly server: AuthorizationServer;
  /**
   * Returns the client. A client that is not registered yet may have to register the redirect address first.
   */
  readonly client: (redirectUri: string) => Promise<TokenClient> | TokenClient;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  /** Stores the tokens. The browser shows success only after the tokens are stored. */
  readonly keep: (tokens: Tokens, client: TokenClient) => Promise<void>;
}

/**
 * Runs the authorization code flow with PKCE (OAuth 2.1 section 4.1) in a local browser.
 *
 * @throws ConnectError with a reason that begins with OAUTH_, or the errors of `keep`
 */
export async function runCodeFlow(flow: CodeFlow, options: PersonOptions): Promise<void> {
  const { server, scope, resource } = flow;
  const { clock = systemClock } = options;
  const state = oauth.generateRandomState();
  await inBrowser(server.metadata.issuer, state, options, async (redirectUri) => {
    const client = await flow.client(redirectUri);
    const verifier = oauth.generateRandomCodeVerifier();
    const request: Flow = { server, client, state, verifier, redirectUri, scope, resource };
    return {
      url: await authorizationUrl(request),
      finish: async (parameters) => {
        await flow.keep(await redeem(request, parameters, fetchSend(options), clock), client);
      },
    };
  });
}

interface Flow extends Omit<CodeFlow, "client" | "keep"> {
  readonly client: TokenClient;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

async function authorizationUrl(flow: Flow): Promise<URL> {
  const { server, client, state, verifier, redirectUri, scope, resource } = flow;
  // RFC 6749 section 3.1 requires keeping the query of the endpoint
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
    // without `consent` the server does not grant offline_access (OpenID Connect Core section 11)
    prompt: scope?.split(" ").includes(OFFLINE) === true ? "consent" : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
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

/** Returns the code in a response, after checking the state and the issuer (RFC 9207). */
function codeIn({ server, client, state }: Flow, parameters: URLSearchParams): string {
  const { metadata } = server;
  const reject = (problem: string) =>
    restError("OAUTH_AUTHORIZATION_INVALID", { server: metadata.issuer, problem });
  const compared = new URLSearchParams(parameters);
  if (server.isIssuerKnown === false) compared.delete("iss");
  try {
    const valid = oauth.validateAuthResponse(metadata, { client_id: client.id }, compared, state);
    const [code, ...more] = valid.getAll("code");
    if (more.length > 0) throw reject('the parameter "code" is there more than once');
    if (code !== undefined && code !== "") return code;
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    if (error instanceof oauth.AuthorizationResponseError) throw rejection(metadata.issuer, error);
    // the library's message names the parameter, but not its value
    throw reject(error instanceof Error ? error.message : String(error));
  }
  throw reject("expected a code, got none");
}

function rejection(server: string, { error, error_description: text }: oauth.AuthorizationResponseError) {
  const problem = text === undefined ? error : `${error}: ${text}`;
  const metadata = { error: safeText(error, 64) };
  return restError("OAUTH_AUTHORIZATION_REFUSED", { server, problem }, { metadata });
}

/** Returns the token endpoint of a server. */
export function tokenEndpointOf({ metadata }: AuthorizationServer): URL {
  return new URL(metadata.token_endpoint ?? "");
}

/** The scope that some servers require for a refresh token (OpenID Connect). */
export const OFFLINE = "offline_access";
