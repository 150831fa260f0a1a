import { systemClock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { Secret } from "../text/secret.ts";
import { requestTokens } from "../token-endpoint/token-request.ts";
import type { Send, TokenClient, Tokens } from "../token-endpoint/tokens.ts";
import type { PersonOptions } from "./browser.ts";
import { OFFLINE, runCodeFlow, tokenEndpointOf } from "./code-flow.ts";
import { type AuthorizationServer, discover } from "./discovery.ts";
import { atEndpoint, tokenReason } from "./endpoint-failure.ts";
import { fetchSend } from "./http.ts";
import type { OAuthHttp } from "./options.ts";
import { givenClient, registerClient } from "./registration.ts";
import { entryName, Session, type SessionDetails, type SessionStatus } from "./session.ts";
import type { TokenFile } from "./token-file.ts";

/** Options that both ways of signing in share. */
export interface ClientOptions extends OAuthHttp {
  /** The ID of the client. Default: the client registers itself. */
  readonly clientId?: string | undefined;
  /** The secret of the client. Default: none, for a public client. */
  readonly clientSecret?: string | Secret | undefined;
  /**
   * The requested scopes, separated by spaces. Default: the scopes that the server names in its 401 or its
   * metadata, or otherwise no scopes.
   */
  readonly scope?: string | undefined;
  /**
   * The resource for which tokens are issued (RFC 8707). Default: the resource in the server's metadata (RFC
   * 9728), or otherwise none.
   */
  readonly resource?: string | undefined;
}

/** Options for signing in a user. */
export interface SignInOptions extends ClientOptions, PersonOptions {
  /** The name under which the client registers. Default: `connect-rest`. */
  readonly clientName?: string | undefined;
}

/**
 * Signs a user in to a server (OAuth 2.1, authorization code with PKCE), and stores the tokens in a file.
 *
 * @throws ConnectError with a reason that begins with OAUTH_ or TOKEN_FILE_
 */
export async function signIn(
  address: string,
  file: TokenFile,
  options: SignInOptions,
): Promise<SessionStatus> {
  const name = entryName(address);
  // if the tokens cannot be stored, fails before the user signs in
  await file.entries();
  const server = await discover(address, options);
  checkCodeFlow(server);
  const scope = scopeOf(server, options);
  const resource = options.resource ?? server.resource;
  const flow = {
    server,
    scope,
    resource,
    client: (redirectUri: string) =>
      clientFor(server, { ...options, scope }, redirectUri, fetchSend(options)),
    keep: async (tokens: Tokens, client: TokenClient) => {
      const details = detailsFor(server, client, { grant: "authorization_code", resource });
      await file.update(name, () => ({ details, tokens: { ...tokens, scope: tokens.scope ?? scope } }));
    },
  };
  await runCodeFlow(flow, options);
  return await statusAt(address, file, options);
}

/**
 * Signs a program in without a user (client credentials, RFC 6749 section 4.4).
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

/**
 * Rejects servers that do not support the code flow, or at which a code could be stolen (OAuth 2.1 section
 * 7.5).
 */
function checkCodeFlow({ metadata, hasMetadata }: AuthorizationServer): void {
  const reject = (expected: string, got: string) =>
    restError("OAUTH_METADATA_INVALID", { url: metadata.issuer, expected, got });
  const { authorization_endpoint: endpoint, response_types_supported: types } = metadata;
  const { grant_types_supported: grants, code_challenge_methods_supported: methods } = metadata;
  if (endpoint === undefined) throw reject("an authorization_endpoint", "none");
  if (!hasMetadata) return;
  const listed = (list: readonly string[] | undefined) => list?.join(", ") || "none";
  if (types !== undefined && !types.includes("code")) {
    throw reject("response_types_supported with code", listed(types));
  }
  if (grants !== undefined && !grants.includes("authorization_code")) {
    throw reject("grant_types_supported with authorization_code", listed(grants));
  }
  if (methods?.includes("S256") !== true) {
    throw reject("code_challenge_methods_supported with S256 (PKCE)", listed(methods));
  }
}

function scopeOf({ metadata, scope }: AuthorizationServer, options: ClientOptions): string | undefined {
  if (options.scope !== undefined || scope === undefined) return options.scope;
  const isOffline = metadata.scopes_supported?.includes(OFFLINE) === true;
  return isOffline && !scope.split(" ").includes(OFFLINE) ? `${scope} ${OFFLINE}` : scope;
}

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
  // the entry has been removed in the meantime
  throw restError("OAUTH_SIGN_IN_NEEDED", { server: entryName(address), problem: "signed out again" });
}
