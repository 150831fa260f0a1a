import { systemClock } from "connect-rest-codec/internal";
import type { Parameter } from "../credentials/oauth1.ts";
import { readOAuth1Token, signOAuth1 } from "../credentials/oauth1-token.ts";
import { shownText } from "../errors/redact.ts";
import { restError } from "../errors/rest-error.ts";
import { Secret } from "../text/secret.ts";
import { EndpointError } from "../token-endpoint/endpoint-error.ts";
import type { EndpointResponse, TokenClient, Tokens } from "../token-endpoint/tokens.ts";
import { inBrowser, type PersonOptions } from "./browser.ts";
import { runCodeFlow } from "./code-flow.ts";
import { atEndpoint } from "./endpoint-failure.ts";
import { fetchSend } from "./http.ts";

/** The endpoints at which a user authorizes an application with OAuth 2. */
export interface OAuth2Flow {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly client: TokenClient;
  readonly scope: string | undefined;
}

/** The endpoints of OAuth 1.0a (RFC 5849 section 2). */
export interface OAuth1Flow {
  readonly requestTokenUrl: string;
  readonly authorizeUrl: string;
  readonly accessTokenUrl: string;
  readonly consumerKey: Secret;
  readonly consumerSecret: Secret;
}

/** An OAuth 1.0a token. */
export interface OAuth1Token {
  readonly token: Secret;
  readonly tokenSecret: Secret;
}

/**
 * Obtains a user's tokens from a service with known endpoints (RFC 6749 section 4.1). Uses PKCE, which
 * services without support for PKCE ignore.
 *
 * @param keep stores the tokens; the browser shows success only after the tokens are stored
 * @throws ConnectError with a reason that begins with OAUTH_, or the errors of `keep`
 */
export async function signInByOAuth2(
  { authorizeUrl, tokenUrl, client, scope }: OAuth2Flow,
  options: PersonOptions,
  keep: (tokens: Tokens) => Promise<void>,
): Promise<void> {
  const metadata = {
    issuer: new URL(tokenUrl).origin,
    authorization_endpoint: authorizeUrl,
    token_endpoint: tokenUrl,
  };
  const server = {
    metadata,
    hasMetadata: false,
    isIssuerKnown: false,
    resource: undefined,
    scope: undefined,
  };
  await runCodeFlow({ server, client: () => client, scope, resource: undefined, keep }, options);
}

/**
 * Obtains a user's token from a service that uses OAuth 1.0a.
 *
 * @param keep stores the token; the browser shows success only after the token is stored
 * @throws ConnectError with a reason that begins with OAUTH_, or the errors of `keep`
 */
export async function signInByOAuth1(
  flow: OAuth1Flow,
  options: PersonOptions,
  keep: (token: OAuth1Token) => Promise<void>,
): Promise<void> {
  const { clock = systemClock } = options;
  const state = clock.randomHex(16);
  const server = new URL(flow.accessTokenUrl).origin;
  // a rejection may lack the token, so the state in the callback address identifies this sign-in
  await inBrowser(server, state, options, async (redirectUri) => {
    const callback: Parameter = ["oauth_callback", `${redirectUri}?state=${state}`];
    const temporary = await ask(flow, flow.requestTokenUrl, undefined, [callback], options);
    const url = new URL(flow.authorizeUrl);
    url.searchParams.set("oauth_token", temporary.token.reveal());
    const finish = async (parameters: URLSearchParams) => {
      const verifier = verifierIn(parameters, temporary, server);
      await keep(await ask(flow, flow.accessTokenUrl, temporary, [["oauth_verifier", verifier]], options));
    };
    return { url, finish };
  });
}

function verifierIn(parameters: URLSearchParams, { token }: OAuth1Token, server: string): string {
  const verifier = parameters.get("oauth_verifier");
  // RFC 5849 section 2.2 defines no format for a rejection
  if (verifier === null || verifier === "") {
    throw restError("OAUTH_AUTHORIZATION_REFUSED", { server, problem: "the person rejected" });
  }
  if (parameters.get("oauth_token") === token.reveal()) return verifier;
  throw restError("OAUTH_AUTHORIZATION_INVALID", { server, problem: "it is for another token" });
}

/**
 * Sends a signed request to an endpoint, and returns the credentials in its response (RFC 5849 sections 2.1
 * and 2.3).
 */
async function ask(
  flow: OAuth1Flow,
  address: string,
  given: OAuth1Token | undefined,
  extra: readonly Parameter[],
  options: PersonOptions,
): Promise<OAuth1Token> {
  const { consumerKey, consumerSecret } = flow;
  const { clock = systemClock } = options;
  const url = new URL(address);
  const signer = { consumerKey, consumerSecret, ...given };
  return await atEndpoint(url.origin, "OAUTH_TOKEN_REFUSED", async () => {
    const moment = { now: clock.now(), nonce: clock.randomHex(16) };
    const authorization = signOAuth1({ method: "POST", url, parameters: extra }, signer, moment);
    const headers = { authorization, accept: "application/x-www-form-urlencoded, text/plain;q=0.9" };
    const response = await fetchSend(options)({ url, method: "POST", headers, body: "" });
    return tokenIn(response, Object.values(signer));
  });
}

function tokenIn({ status, body }: EndpointResponse, secrets: readonly Secret[]): OAuth1Token {
  const text = new TextDecoder().decode(body);
  if (status !== 200) {
    const said = shownText(text, secrets, MAX_TEXT);
    throw new EndpointError(
      said === "" || said.startsWith("<") ? `status ${status}` : `status ${status}: ${said}`,
    );
  }
  const read = readOAuth1Token(text);
  if (read === "none") throw new EndpointError("expected a token and its secret, got neither");
  if (read === "unconfirmed") throw new EndpointError("the callback is not confirmed");
  return { token: new Secret(read.token), tokenSecret: new Secret(read.tokenSecret) };
}

const MAX_TEXT = 200;
