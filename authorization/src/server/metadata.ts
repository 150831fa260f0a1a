import { isOwnResource } from "./resource-indicator.ts";

/** Where protected resource metadata is (RFC 9728 section 3), also followed by the path of the resource. */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/** What the metadata of OpenID Connect says beyond RFC 8414, and what is not served. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "claim_types_supported",
  "claims_parameter_supported",
  "claims_supported",
  "id_token_signing_alg_values_supported",
  "jwks_uri",
  "request_parameter_supported",
  "request_uri_parameter_supported",
  "subject_types_supported",
]);

/** What is served. */
export interface MetadataOptions {
  readonly publicUrl: string;
  readonly scopes: readonly string[];
  /** Whether people can sign in. */
  readonly hasInteractions: boolean;
}

/** Authorization server metadata (RFC 8414 section 2), from what the engine says of itself. */
export function serverMetadata(engines: Readonly<Record<string, unknown>>, options: MetadataOptions): object {
  const { publicUrl, scopes, hasInteractions } = options;
  const methods = engines.token_endpoint_auth_methods_supported;
  return {
    ...Object.fromEntries(Object.entries(engines).filter(([key]) => !LEFT_OUT.has(key))),
    issuer: publicUrl,
    scopes_supported: scopes,
    response_modes_supported: ["query"],
    grant_types_supported: hasInteractions
      ? ["authorization_code", "refresh_token", "client_credentials"]
      : ["client_credentials"],
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported:
      engines.token_endpoint_auth_signing_alg_values_supported,
  };
}

/**
 * Protected resource metadata (RFC 9728 section 2).
 *
 * @param path what follows the well-known path: the path of the resource that the client means
 */
export function resourceMetadata(path: string, { publicUrl, scopes }: MetadataOptions): object | undefined {
  const resource = publicUrl + path;
  if (!isOwnResource(resource, publicUrl)) return undefined;
  return {
    resource,
    authorization_servers: [publicUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
  };
}
