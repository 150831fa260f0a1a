import { isOn, isRedirectHost, isRedirectUri, REDIRECT_URI_EXPECTED } from "connect-rest-runtime/internal";
import { problemOfKeys, withoutExtras } from "./client-keys.ts";
import { OAuthError } from "./oauth-error.ts";

/** The limits on self-registered clients. */
export interface RegistrationPolicy {
  /** Default: all. */
  readonly redirectHosts: readonly string[] | undefined;
  readonly grants: readonly string[];
  /** The scopes that self-registered clients may have. */
  readonly scopes: readonly string[];
}

/** The maximum number of redirect URIs of a client. */
const MAX_REDIRECT_URIS = 20;

/** The maximum length of a string, in characters. */
const MAX_TEXT = 2048;

/** Members whose addresses the engine or a browser would fetch. Clients send keys in `jwks`. */
const FETCHED = ["jwks_uri", "sector_identifier_uri", "request_uris", "initiate_login_uri"] as const;

/**
 * The members of a registration request that are stored. All other members are ignored (RFC 7591 section 2).
 */
const KNOWN = [
  "client_name",
  "client_uri",
  "contacts",
  "jwks",
  "logo_uri",
  "policy_uri",
  "token_endpoint_auth_method",
  "tos_uri",
] as const;

/** The engine's client metadata that RFC 7591 lacks. */
const OF_OPENID: ReadonlySet<string> = new Set([
  "application_type",
  "default_max_age",
  "id_token_signed_response_alg",
  "post_logout_redirect_uris",
  "require_auth_time",
  "subject_type",
]);

/** Returns the response to a registration (RFC 7591 section 3.2.1), based on the engine's response. */
export function registrationResponse(engines: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(engines).filter(([key]) => !OF_OPENID.has(key)));
}

/**
 * Checks a registration request (RFC 7591 section 2), and returns the client metadata for the engine. Omits
 * grant types and scopes that the client may not have; the response shows the remaining ones.
 *
 * @param publicUrl the origin that no redirect URI may have
 * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata`
 */
export function checkRegistration(
  text: string,
  policy: RegistrationPolicy,
  publicUrl: string,
): Record<string, unknown> {
  const metadata = parse(text);
  for (const key of FETCHED) {
    if (metadata[key] !== undefined) {
      throw invalid(`${key} is not supported, nothing is fetched for a client; send keys as jwks`);
    }
  }
  if (metadata.software_statement !== undefined) {
    throw new OAuthError(400, "unapproved_software_statement", "software statements are not supported");
  }
  const grants = grantsOf(metadata, policy);
  const usesCodes = grants.includes("authorization_code");
  const known = Object.fromEntries(
    KNOWN.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
  );
  for (const [key, value] of Object.entries(known)) {
    if (key === "jwks" || key === "contacts") continue;
    if (typeof value !== "string") throw invalid(`${key} must be a text`);
    if (value.length > MAX_TEXT) throw invalid(`${key} is too long`);
  }
  texts(metadata, "contacts");
  const problem = metadata.jwks === undefined ? undefined : problemOfKeys(metadata.jwks);
  if (problem !== undefined) throw invalid(problem);
  return {
    ...known,
    ...(metadata.jwks !== undefined && { jwks: withoutExtras(metadata.jwks) }),
    grant_types: grants,
    response_types: usesCodes ? ["code"] : [],
    redirect_uris: redirectUrisOf(metadata, usesCodes, policy, publicUrl),
    scope: scopesOf(metadata, policy).join(" "),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // reported below
  }
  throw invalid("the body must be a JSON object (RFC 7591 section 3.1)");
}

function grantsOf(metadata: Readonly<Record<string, unknown>>, { grants }: RegistrationPolicy): string[] {
  const asked = texts(metadata, "grant_types") ?? ["authorization_code"];
  const given = [...new Set(asked)].filter((grant) => grants.includes(grant));
  const hasFirst = given.some((grant) => grant !== "refresh_token");
  if (!hasFirst) throw invalid(`grant_types may have ${grants.join(", ")}`);
  if (given.includes("client_credentials") && metadata.token_endpoint_auth_method === "none") {
    throw invalid("client_credentials need a client that authenticates, not token_endpoint_auth_method none");
  }
  return given;
}

function redirectUrisOf(
  metadata: Readonly<Record<string, unknown>>,
  usesCodes: boolean,
  { redirectHosts }: RegistrationPolicy,
  publicUrl: string,
): string[] {
  const uris = texts(metadata, "redirect_uris") ?? [];
  if (usesCodes && uris.length === 0) throw badRedirect("redirect_uris must have an address");
  if (uris.length > MAX_REDIRECT_URIS) {
    throw badRedirect(`redirect_uris may have ${MAX_REDIRECT_URIS} addresses`);
  }
  for (const uri of uris) {
    if (uri.length > MAX_TEXT) throw badRedirect(`redirect_uris may have ${MAX_TEXT} characters each`);
    if (!isRedirectUri(uri)) throw badRedirect(`redirect_uris must be ${REDIRECT_URI_EXPECTED}`);
    if (isOn(publicUrl, uri)) {
      throw badRedirect(`redirect_uris must not be on ${publicUrl}, the server's own`);
    }
    if (redirectHosts !== undefined && !isRedirectHost(uri, redirectHosts)) {
      throw badRedirect("redirect_uris may have configured hosts only; ask the operator");
    }
  }
  return uris;
}

function scopesOf(
  metadata: Readonly<Record<string, unknown>>,
  { scopes }: RegistrationPolicy,
): readonly string[] {
  const { scope } = metadata;
  if (scope === undefined) return scopes;
  if (typeof scope !== "string") throw invalid("scope must be a string of names with spaces between them");
  const asked = new Set(scope.split(" "));
  const given = scopes.filter((each) => asked.has(each));
  return given.length === 0 ? scopes : given;
}

function texts(metadata: Readonly<Record<string, unknown>>, key: string): string[] | undefined {
  const value = metadata[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) {
    throw key === "redirect_uris"
      ? badRedirect(`${key} must be a list of texts`)
      : invalid(`${key} must be a list of texts`);
  }
  return value;
}

function invalid(description: string): OAuthError {
  return new OAuthError(400, "invalid_client_metadata", description);
}

function badRedirect(description: string): OAuthError {
  return new OAuthError(400, "invalid_redirect_uri", description);
}
