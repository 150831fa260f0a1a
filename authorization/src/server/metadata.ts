import type { ClientMetadata } from "oidc-provider";
import type { RegistrationPolicy } from "./registration.ts";
import { isOwnResource } from "./resource-indicator.ts";

/**
 * The path of protected resource metadata (RFC 9728 section 3), optionally followed by the path of the
 * resource.
 */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Metadata that is omitted: OpenID Connect members that RFC 8414 lacks, and features that are not served. */
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

/** Metadata about the authorization endpoint, omitted if nobody can use the endpoint (RFC 8414 section 2). */
const OF_CODES: ReadonlySet<string> = new Set([
  "authorization_endpoint",
  "authorization_response_iss_parameter_supported",
  "code_challenge_methods_supported",
  "response_modes_supported",
]);

const GRANTS = ["authorization_code", "refresh_token", "client_credentials"];

/** The features that are served. */
export interface MetadataOptions {
  readonly publicUrl: string;
  readonly scopes: readonly string[];
  /** Whether people can sign in. */
  readonly hasInteractions: boolean;
  /** The grant types of each configured client, and of self-registered clients if registration is enabled. */
  readonly clients: readonly Pick<ClientMetadata, "grant_types">[];
  readonly registration: Pick<RegistrationPolicy, "grants"> | undefined;
}

/** Returns the authorization server metadata (RFC 8414 section 2), based on the engine's metadata. */
export function serverMetadata(engines: Readonly<Record<string, unknown>>, options: MetadataOptions): object {
  const { publicUrl, scopes, hasInteractions, clients, registration } = options;
  const usable = GRANTS.filter((grant) => hasInteractions || grant === "client_credentials");
  const registrable = usable.filter((grant) => registration?.grants.includes(grant));
  const grants = usable.filter(
    (grant) => registrable.includes(grant) || clients.some((client) => client.grant_types?.includes(grant)),
  );
  const usesCodes = grants.includes("authorization_code");
  const served = {
    ...engines,
    issuer: publicUrl,
    scopes_supported: scopes,
    response_modes_supported: ["query"],
    response_types_supported: usesCodes ? ["code"] : [],
    grant_types_supported: grants,
    revocation_endpoint_auth_methods_supported: engines.token_endpoint_auth_methods_supported,
    revocation_endpoint_auth_signing_alg_values_supported:
      engines.token_endpoint_auth_signing_alg_values_supported,
  };
  const isServed = (key: string) =>
    !LEFT_OUT.has(key) &&
    (usesCodes || !OF_CODES.has(key)) &&
    (registrable.length > 0 || key !== "registration_endpoint");
  return Object.fromEntries(Object.entries(served).filter(([key]) => isServed(key)));
}

/**
 * Returns the protected resource metadata (RFC 9728 section 2).
 *
 * @param path the path of the resource, which is appended to the well-known path
 */
export function resourceMetadata(
  path: string,
  { publicUrl, scopes }: Pick<MetadataOptions, "publicUrl" | "scopes">,
): object | undefined {
  const resource = publicUrl + path;
  if (!isOwnResource(resource, publicUrl)) return undefined;
  return {
    resource,
    authorization_servers: [publicUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
  };
}
