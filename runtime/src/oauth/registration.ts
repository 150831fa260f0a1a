import * as oauth from "oauth4webapi";
import { restError } from "../errors/rest-error.ts";
import { Secret } from "../text/secret.ts";
import { readEndpointJson } from "../token-endpoint/endpoint-json.ts";
import { cleaned, fetchOptions } from "../token-endpoint/token-request.ts";
import type { ClientAuthMethod, EndpointResponse, Send, TokenClient } from "../token-endpoint/tokens.ts";
import type { AuthorizationServer } from "./discovery.ts";
import { atEndpoint } from "./endpoint-failure.ts";

/** The registration data of a client. */
export interface ClientDescription {
  /** The name that the consent page shows to the user. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scope: string | undefined;
}

/**
 * Registers a client (RFC 7591), as a public client if the server accepts public clients.
 *
 * @throws ConnectError reason OAUTH_REGISTRATION_FAILED
 */
export async function registerClient(
  { metadata }: AuthorizationServer,
  { name, redirectUris, scope }: ClientDescription,
  send: Send,
): Promise<TokenClient> {
  const server = metadata.issuer;
  if (metadata.registration_endpoint === undefined) {
    const problem = "the server does not let clients register themselves";
    throw restError("OAUTH_REGISTRATION_FAILED", { server, problem });
  }
  const asked = methodFor(metadata.token_endpoint_auth_methods_supported);
  const description = {
    client_name: name,
    redirect_uris: [...redirectUris],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: asked,
    // for a client of this type, OpenID Connect allows any port of loopback addresses
    application_type: "native",
    ...(scope === undefined ? {} : { scope }),
  };
  const found = await atEndpoint(server, "OAUTH_REGISTRATION_FAILED", async () => {
    try {
      const read = (response: EndpointResponse) => ({
        client_secret_expires_at: 0,
        ...readEndpointJson(response),
      });
      const options = fetchOptions(send, read, 201);
      const response = await oauth.dynamicClientRegistrationRequest(metadata, description, {
        ...options,
        headers: new Headers({ accept: "application/json" }),
      });
      return await oauth.processDynamicClientRegistrationResponse(response);
    } catch (error) {
      throw cleaned(error, []);
    }
  });
  return clientOf(found, server);
}

function clientOf(found: oauth.OmitSymbolProperties<oauth.Client>, server: string): TokenClient {
  const { client_id: id, client_secret, token_endpoint_auth_method } = found;
  const secret = typeof client_secret === "string" ? new Secret(client_secret) : undefined;
  // RFC 7591 section 2: if the response names no method, the method is HTTP Basic
  const method = token_endpoint_auth_method ?? (secret === undefined ? "none" : "client_secret_basic");
  if (method === "none") return { id, secret: undefined, method };
  if (isMethod(method) && secret !== undefined) return { id, secret, method };
  const problem = `expected a client that authenticates by none, or by a secret, got ${JSON.stringify(method)}`;
  throw restError("OAUTH_REGISTRATION_FAILED", { server, problem });
}

/** Returns a client with a configured ID and optional secret, and its authentication method. */
export function givenClient(
  { metadata, hasMetadata }: AuthorizationServer,
  id: string,
  secret: Secret | undefined,
): TokenClient {
  if (secret === undefined) return { id, secret, method: "none" };
  const { token_endpoint_auth_methods_supported: supported } = metadata;
  // RFC 8414 section 2: if the metadata names no method, the method is HTTP Basic. Servers too old for
  // metadata accept the client's ID and secret in the body.
  const fallback = hasMetadata ? "client_secret_basic" : "client_secret_post";
  const method = SECRET_METHODS.find((each) => supported?.includes(each)) ?? fallback;
  return { id, secret, method };
}

const SECRET_METHODS = ["client_secret_basic", "client_secret_post"] as const;

function methodFor(supported: readonly string[] | undefined): ClientAuthMethod {
  const all = ["none", ...SECRET_METHODS] as const;
  return supported === undefined ? "none" : (all.find((each) => supported.includes(each)) ?? "none");
}

function isMethod(text: unknown): text is ClientAuthMethod {
  return text === "none" || SECRET_METHODS.some((each) => each === text);
}
