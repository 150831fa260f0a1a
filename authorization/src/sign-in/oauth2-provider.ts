import type { Secret, UpstreamFetch } from "connect-rest-runtime";
import { smallJson } from "connect-rest-runtime/internal";
import * as oauth from "oauth4webapi";
import {
  type Departure,
  type Provider,
  ProviderError,
  type ProviderFailure,
  type ReturnAddress,
  shown,
} from "./provider.ts";
import type { OAuth2Tokens, UpstreamTokens } from "./tokens.ts";

/** The settings of the gateway as a client of an OAuth 2 server. */
export interface OAuth2ProviderSettings {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string | undefined;
  /**
   * The issuer to compare with `iss` of authorization responses (RFC 9207). Without this setting, a response
   * with `iss` is rejected.
   */
  readonly issuer?: string | undefined;
  /** Whether an authorization response must have `iss`. Default: false. */
  readonly requireIssuer?: boolean | undefined;
  readonly clientId: string;
  /** The client secret; undefined for a public client. */
  readonly clientSecret?: Secret | undefined;
  readonly clientAuthentication: "client_secret_basic" | "client_secret_post";
  readonly scopes: readonly string[];
  /** Whether to send a code challenge (RFC 7636, S256). */
  readonly pkce: boolean;
  /** Additional parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The issuer that is used if none is configured. No server uses this issuer as its `iss`. */
const NO_ISSUER = "https://issuer.invalid/";

/** Signs in with OAuth 2 (RFC 6749), using an authorization code; refreshes and revokes tokens (RFC 7009). */
export class OAuth2Provider implements Provider {
  private readonly settings: OAuth2ProviderSettings;
  /** The first arguments of each call to the OAuth library. */
  private readonly ends: readonly [oauth.AuthorizationServer, oauth.Client, oauth.ClientAuth];
  private readonly http: UpstreamFetch;
  private readonly now: () => number;

  constructor(settings: OAuth2ProviderSettings, http: UpstreamFetch, now: () => number) {
    this.settings = settings;
    this.http = http;
    this.now = now;
    const server = {
      issuer: settings.issuer ?? NO_ISSUER,
      authorization_endpoint: settings.authorizationEndpoint,
      token_endpoint: settings.tokenEndpoint,
      ...(settings.revocationEndpoint !== undefined && { revocation_endpoint: settings.revocationEndpoint }),
      authorization_response_iss_parameter_supported: settings.requireIssuer ?? false,
    };
    this.ends = [server, { client_id: settings.clientId }, authenticationOf(settings)];
  }

  async depart({ returnUrl, state }: ReturnAddress): Promise<Departure> {
    const { authorizationEndpoint, parameters, clientId, scopes, pkce } = this.settings;
    const url = new URL(authorizationEndpoint);
    const query = {
      ...parameters,
      response_type: "code",
      client_id: clientId,
      redirect_uri: returnUrl,
      state,
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    if (scopes.length > 0) url.searchParams.set("scope", scopes.join(" "));
    if (!pkce) return { address: url.href, pending: {} };
    const verifier = oauth.generateRandomCodeVerifier();
    url.searchParams.set("code_challenge", await oauth.calculatePKCECodeChallenge(verifier));
    url.searchParams.set("code_challenge_method", "S256");
    return { address: url.href, pending: { verifier } };
  }

  async arrive(
    query: URLSearchParams,
    { returnUrl, state }: ReturnAddress,
    { verifier }: Departure["pending"],
  ): Promise<UpstreamTokens> {
    return await this.translated("the authorization response", async () => {
      const [server, client] = this.ends;
      const parameters = oauth.validateAuthResponse(server, client, query, state);
      const response = await oauth.authorizationCodeGrantRequest(
        ...this.ends,
        parameters,
        returnUrl,
        verifier ?? oauth.nopkce,
        this.options(),
      );
      return this.tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response));
    });
  }

  async refresh(tokens: UpstreamTokens): Promise<UpstreamTokens | undefined> {
    if (tokens.kind !== "oauth2" || tokens.refreshToken === undefined) return undefined;
    const { refreshToken } = tokens;
    return await this.translated("the refresh", async () => {
      const [server, client] = this.ends;
      const response = await oauth.refreshTokenGrantRequest(...this.ends, refreshToken, this.options());
      const next = this.tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
      // if the response has no new refresh token, the old one stays valid (RFC 6749 section 6)
      return { ...next, refreshToken: next.refreshToken ?? refreshToken };
    });
  }

  async revoke(tokens: UpstreamTokens): Promise<void> {
    if (tokens.kind !== "oauth2" || this.settings.revocationEndpoint === undefined) return;
    const { accessToken, refreshToken } = tokens;
    for (const token of [refreshToken, accessToken]) {
      if (token === undefined) continue;
      await this.translated("the revocation", async () => {
        const response = await oauth.revocationRequest(...this.ends, token, this.options());
        await oauth.processRevocationResponse(response);
      });
    }
  }

  private options() {
    const fetch = async (address: string, init: oauth.CustomFetchOptions<"POST", URLSearchParams>) =>
      withPlainBody(
        await this.http.fetch(address, { method: init.method, headers: init.headers, body: init.body }),
      );
    // the configuration check decides whether an endpoint may use http
    return { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true };
  }

  private tokensOf(response: oauth.TokenEndpointResponse): OAuth2Tokens {
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = response;
    if (response.token_type !== "bearer") {
      throw new ProviderError("invalid", `the token is of type ${shown(response.token_type)}, not bearer`);
    }
    for (const token of [accessToken, refreshToken]) {
      if (token !== undefined && !isSendable(token)) {
        throw new ProviderError("invalid", "a token has characters that no header can carry");
      }
    }
    const expiresAt = seconds === undefined ? undefined : this.now() + seconds * 1000;
    return { kind: "oauth2", accessToken, refreshToken, expiresAt };
  }

  private async translated<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ProviderError ? error : failureOf(what, error);
    }
  }
}

function authenticationOf({ clientSecret, clientAuthentication }: OAuth2ProviderSettings): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None();
  return clientAuthentication === "client_secret_post"
    ? oauth.ClientSecretPost(clientSecret.reveal())
    : oauth.ClientSecretBasic(clientSecret.reveal());
}

/**
 * Reports whether a bearer token is visible ASCII and not too long. RFC 6750 section 2.1 allows even fewer
 * characters.
 */
function isSendable(token: string): boolean {
  return /^[\x21-\x7e]{1,16384}$/.test(token);
}

/**
 * Normalizes responses that violate the specification: an error with status 200 gets 400. Removes the ID
 * token, since a request with the access token identifies the person.
 */
async function withPlainBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const text = await response.text();
  const json = parsed(text);
  if (json === undefined) return bodied(text, status, headers);
  const { id_token: _, ...others } = json;
  const isError = status === 200 && typeof json.error === "string" && json.access_token === undefined;
  return bodied(JSON.stringify(others), isError ? 400 : status, headers);
}

function bodied(text: string, status: number, headers: Headers): Response {
  return new Response(text === "" ? null : text, { status, headers });
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = smallJson(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** The meanings of authorization server errors. Any other error means that a code or token was rejected. */
const FAILURES: ReadonlyMap<string, ProviderFailure> = new Map([
  ...["access_denied", "consent_required", "login_required"].map((code) => [code, "denied"] as const),
  ...["temporarily_unavailable", "server_error"].map((code) => [code, "unavailable"] as const),
  ...[
    "invalid_client",
    "unauthorized_client",
    "invalid_scope",
    "invalid_request",
    "unsupported_grant_type",
    "unsupported_response_type",
    "invalid_target",
  ].map((code) => [code, "misconfigured"] as const),
]);

function failureOf(what: string, error: unknown): ProviderError {
  const [failure, text] = failureAndText(error);
  return new ProviderError(failure, `${what}: ${text}`, error);
}

function failureAndText(error: unknown): readonly [ProviderFailure, text: string] {
  if (error instanceof oauth.AuthorizationResponseError) return ofError(error.error);
  if (error instanceof oauth.ResponseBodyError) {
    return error.status >= 500 ? ["unavailable", `status ${error.status}`] : ofError(error.error);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return ["misconfigured", `the client is rejected, status ${error.status}`];
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    const status = statusOf(error);
    const isUnwell = status !== undefined && (status >= 500 || status === 429);
    return isUnwell ? ["unavailable", `status ${status}`] : ["invalid", shown(error.message)];
  }
  return ["unavailable", shown(error instanceof Error ? error.message : String(error))];
}

function ofError(code: string): readonly [ProviderFailure, text: string] {
  const failure = FAILURES.get(code) ?? "rejected";
  return [failure, `the error ${shown(code)}`];
}

function statusOf({ cause }: Error): number | undefined {
  if (cause instanceof Response) return cause.status;
  const isHolder = typeof cause === "object" && cause !== null && "response" in cause;
  return isHolder && cause.response instanceof Response ? cause.response.status : undefined;
}
