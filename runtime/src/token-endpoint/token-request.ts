import type { JsonObject } from "connect-rest-codec/internal";
import * as oauth from "oauth4webapi";
import { shownText } from "../errors/redact.ts";
import { Secret } from "../text/secret.ts";
import { EndpointError } from "./endpoint-error.ts";
import { readEndpointJson } from "./endpoint-json.ts";
import type { EndpointResponse, Grant, Send, TokenClient, Tokens } from "./tokens.ts";

/** A token endpoint, its client, and the function that sends requests. */
export interface TokenEndpoint {
  readonly url: URL;
  readonly client: TokenClient;
  readonly send: Send;
}

/** Parameters whose values are secrets. */
const SECRET_PARAMETERS = ["code", "code_verifier", "refresh_token", "token"];

/**
 * Requests tokens from a token endpoint (RFC 6749 sections 4.1.3, 4.4.2 and 6).
 *
 * @param now the time from which the lifetime of the tokens is measured, in milliseconds since 1970
 * @throws EndpointError, whose text contains no secret
 */
export async function requestTokens(endpoint: TokenEndpoint, grant: Grant, now: number): Promise<Tokens> {
  const server = { issuer: endpoint.url.origin, token_endpoint: endpoint.url.href };
  const client = { client_id: endpoint.client.id };
  return await guarded(endpoint.client, grant.parameters, async () => {
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      authOf(endpoint.client),
      grant.type,
      parametersOf(grant.parameters),
      { ...fetchOptions(endpoint.send, readTokenJson) },
    );
    const found = await oauth.processGenericTokenEndpointResponse(server, client, response);
    return tokensOf(found, now);
  });
}

/**
 * Revokes a token (RFC 7009). Succeeds even if the server does not know the token.
 *
 * @param url the revocation endpoint
 * @throws EndpointError
 */
export async function revokeToken(
  url: URL,
  { client, send }: Omit<TokenEndpoint, "url">,
  token: Secret,
  hint: "access_token" | "refresh_token",
): Promise<void> {
  const server = { issuer: url.origin, revocation_endpoint: url.href };
  const parameters = { token: token.reveal() };
  await guarded(client, parameters, async () => {
    await oauth.revocationRequest(server, { client_id: client.id }, authOf(client), token.reveal(), {
      additionalParameters: { token_type_hint: hint },
      ...fetchOptions(send, (response) => {
        // the body of a successful response has no meaning (RFC 7009 section 2.2)
        if (response.status < 200 || response.status > 299) readEndpointJson(response);
        return {};
      }),
    });
  });
}

/**
 * Returns options for the OAuth library. `send` sends the library's requests, and `read` reads the responses
 * before the library processes them.
 */
export function fetchOptions(send: Send, read: (response: EndpointResponse) => JsonObject, status = 200) {
  const customFetch = async (
    url: string,
    { method, headers, body }: oauth.CustomFetchOptions<string, unknown>,
  ): Promise<Response> => {
    const response = await send({
      url: new URL(url),
      method: method === "GET" ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : String(body),
    });
    return Response.json(read(response), { status });
  };
  // the code that provides an address decides whether the address may use http
  return { [oauth.customFetch]: customFetch, [oauth.allowInsecureRequests]: true } as const;
}

function authOf({ method, secret }: TokenClient): oauth.ClientAuth {
  if (method === "none" || secret === undefined) return oauth.None();
  return method === "client_secret_basic"
    ? oauth.ClientSecretBasic(secret.reveal())
    : oauth.ClientSecretPost(secret.reveal());
}

function parametersOf(given: Grant["parameters"]): Record<string, string> {
  const entries = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

/**
 * Reads a token response without its ID token, which is not used. If the token type is missing, `bearer` is
 * assumed.
 */
function readTokenJson(response: EndpointResponse): JsonObject {
  const { id_token: _, ...json } = readEndpointJson(response);
  return { token_type: "bearer", ...json };
}

function tokensOf(found: oauth.TokenEndpointResponse, now: number): Tokens {
  const { access_token, expires_in, refresh_token, scope, token_type } = found;
  // the token is bound to a key that this client lacks, so it cannot be used
  if (token_type !== "bearer") throw new EndpointError("expected a bearer token, got another type of token");
  if (!/^[\x21-\x7e]+$/.test(access_token)) {
    throw new EndpointError("expected an access token of printable ASCII, got other characters");
  }
  return {
    accessToken: new Secret(access_token),
    expiresAt: expires_in === undefined ? undefined : now + Math.min(expires_in, MAX_LIFE_S) * 1000,
    refreshToken: refresh_token === undefined ? undefined : new Secret(refresh_token),
    scope,
  };
}

/** Ten years in seconds. A longer lifetime is practically unlimited, and could overflow a date. */
const MAX_LIFE_S = 10 * 366 * 86_400;

/** Runs work, and converts its errors to endpoint errors whose texts contain no secrets. */
async function guarded<T>(
  { secret }: TokenClient,
  parameters: Grant["parameters"],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const secrets = SECRET_PARAMETERS.flatMap((name) => {
      const value = parameters[name];
      return value === undefined ? [] : [new Secret(value)];
    });
    throw cleaned(error, secret === undefined ? secrets : [secret, ...secrets]);
  }
}

/** Returns the error without secrets. A server may repeat the secrets that it received. */
export function cleaned(error: unknown, secrets: readonly Secret[]): EndpointError {
  const text = error instanceof Error ? error.message : String(error);
  const problem = shownText(text, secrets, MAX_PROBLEM);
  if (!(error instanceof EndpointError)) return new EndpointError(problem);
  const { status, retryAfter } = error;
  // a valid code is a word; other text could contain anything
  const code = /^[\w.-]{1,64}$/.test(error.code ?? "") ? error.code : undefined;
  return new EndpointError(problem, { code, status, retryAfter });
}

const MAX_PROBLEM = 300;
