import type { ClientMetadata } from "oidc-provider";

/**
 * A public client that is a page of the gateway itself. No other client may receive codes on the gateway's
 * own origin.
 */
export interface OwnClient {
  readonly id: string;
  /** The name that people see. */
  readonly name: string;
  /** The only redirect URI, on the origin of the gateway. It is compared literally. */
  readonly redirectUri: string;
}

/** Returns the metadata of the client for the engine. */
export function ownClientMetadata(
  { id, name, redirectUri }: OwnClient,
  scopes: readonly string[],
): ClientMetadata {
  return {
    client_id: id,
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: scopes.join(" "),
  };
}
