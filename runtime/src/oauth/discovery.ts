import { isJsonObject, type JsonObject, type JsonValue, smallJson } from "connect-rest-codec/internal";
import type { AuthorizationServer as Metadata } from "oauth4webapi";
import { restError } from "../errors/rest-error.ts";
import { EndpointError } from "../token-endpoint/endpoint-error.ts";
import { ENDPOINT_EXPECTED, problemOfEndpoint } from "../token-endpoint/endpoint-url.ts";
import type { EndpointResponse, Send } from "../token-endpoint/tokens.ts";
import { parseServer, withoutSlash } from "./address.ts";
import { fetchSend } from "./http.ts";
import type { OAuthHttp } from "./options.ts";

/** The supported revision of the MCP authorization specification. */
export const PROTOCOL_VERSION = "2025-03-26";

/** An authorization server, and the resource that it protects. */
export interface AuthorizationServer {
  /** The metadata of the server (RFC 8414), or the default paths if it publishes none. */
  readonly metadata: Metadata;
  /** Whether the server publishes its metadata. */
  readonly hasMetadata: boolean;
  /**
   * Whether the issuer is known and can be compared with the issuer in responses (RFC 9207). Default: true.
   */
  readonly isIssuerKnown?: boolean | undefined;
  /** The resource for which tokens are issued (RFC 8707), if the server states it (RFC 9728). */
  readonly resource: string | undefined;
  /**
   * The scopes that the server requests in its 401, or otherwise the scopes of its resource. Undefined if
   * neither states scopes.
   */
  readonly scope: string | undefined;
}

/** Options of discovery. */
export interface DiscoveryOptions extends OAuthHttp {
  /**
   * The `WWW-Authenticate` header of a 401 response of the server. Default: the header in the response to a
   * new request.
   */
  readonly challenge?: string | undefined;
}

const AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";
const PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource";

/**
 * Finds the authorization server of a server, e.g. of a gateway. If the server's 401 names its resource
 * metadata (RFC 9728), that metadata names the authorization server. After another 401, the server is its own
 * authorization server, at its address without the path: its metadata (RFC 8414), whose issuer must equal
 * the requested issuer, is requested first, and then the metadata of the resource at its well-known paths.
 * Without a 401, e.g. because the server has an open start page, the order is reversed. If a 404 shows that
 * there is no metadata, the paths are `/authorize`, `/token` and `/register`.
 *
 * @throws ConnectError reason OAUTH_ADDRESS_REFUSED, OAUTH_DISCOVERY_FAILED or OAUTH_METADATA_INVALID
 */
export async function discover(
  address: string,
  options: DiscoveryOptions = {},
): Promise<AuthorizationServer> {
  const url = parseServer(address);
  const send = fetchSend(options);
  const challenge = options.challenge ?? (await challengeOf(url, send));
  const named = challenge === undefined ? undefined : resourceMetadataIn(challenge);
  const scope = challenge === undefined ? undefined : parameterIn(challenge, "scope");
  if (named !== undefined) {
    const found = await serverOfResource(url, named, send);
    if (found === undefined) throw failed(url, `status 404 at ${named}`);
    return { ...found, scope: scope ?? found.scope };
  }
  const ofResource = () => serverAtKnownPaths(url, send);
  const ownServer = async () => {
    const own = await metadataAt(new URL(AUTHORIZATION_SERVER, url.origin), url.origin, send);
    return own && { metadata: own, hasMetadata: true, resource: undefined, scope };
  };
  // a 401 that names no metadata comes from a server that is its own authorization server
  const [first, second] = challenge === undefined ? [ofResource, ownServer] : [ownServer, ofResource];
  const found = (await first()) ?? (await second());
  if (found !== undefined) return { ...found, scope: scope ?? found.scope };
  return { metadata: defaultsAt(url.origin), hasMetadata: false, resource: undefined, scope };
}

/** Returns the default endpoints of servers without metadata (MCP specification, revision 2025-03-26). */
function defaultsAt(origin: string): Metadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  };
}

/** Returns the authorization server that the metadata at the well-known paths of a resource names. */
async function serverAtKnownPaths(url: URL, send: Send): Promise<AuthorizationServer | undefined> {
  const path = url.pathname === "/" ? "" : url.pathname;
  for (const place of new Set([PROTECTED_RESOURCE + path, PROTECTED_RESOURCE])) {
    const found = await serverOfResource(url, new URL(place, url.origin).href, send);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the challenge with which the server responds to a request without a token: an empty text for a 401
 * without a challenge, and undefined for another response.
 */
async function challengeOf(url: URL, send: Send): Promise<string | undefined> {
  const response = await get(url, send);
  return response.status === 401 ? (response.header("www-authenticate") ?? "") : undefined;
}

/** Returns the address of the resource metadata in a challenge (RFC 9728 section 5.1). */
export function resourceMetadataIn(challenge: string): string | undefined {
  return parameterIn(challenge, "resource_metadata");
}

function parameterIn(challenge: string, name: "resource_metadata" | "scope"): string | undefined {
  const pattern = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*"([^"\\\\]{1,2000})"`, "i");
  return pattern.exec(challenge)?.[1];
}

/**
 * Returns the authorization server that a resource's metadata names, or undefined if there is no metadata
 * (404).
 */
async function serverOfResource(
  url: URL,
  place: string,
  send: Send,
): Promise<AuthorizationServer | undefined> {
  const at = endpoint(place, "resource_metadata", url);
  const response = await get(at, send);
  if (response.status === 404) return undefined;
  const { resource, authorization_servers: servers, scopes_supported: scopes } = objectOf(response, at);
  if (typeof resource !== "string" || !guards(resource, url)) {
    throw invalid(at, `a resource that ${url.href} is a part of`, quoted(resource));
  }
  const issuer = Array.isArray(servers) ? (servers[0] as JsonValue) : url.origin;
  if (typeof issuer !== "string") throw invalid(at, "authorization_servers with an address", quoted(issuer));
  const metadata = await metadataOfIssuer(endpoint(issuer, "authorization_servers", at), issuer, send);
  const scope = Array.isArray(scopes) ? scopes.filter((each) => typeof each === "string").join(" ") : "";
  return { metadata, hasMetadata: true, resource, scope: scope === "" ? undefined : scope };
}

/**
 * Reports whether an address belongs to a resource. Tokens for other servers must not be used (RFC 9728
 * section 3.3).
 */
function guards(resource: string, url: URL): boolean {
  const guarded = URL.parse(resource);
  if (guarded === null || guarded.origin !== url.origin) return false;
  const path = withoutSlash(guarded.pathname);
  return path === "" || url.pathname === path || url.pathname.startsWith(`${path}/`);
}

/**
 * Fetches the metadata of an issuer from the locations in RFC 8414 section 3.1 and OpenID Connect Discovery.
 */
async function metadataOfIssuer(url: URL, issuer: string, send: Send): Promise<Metadata> {
  const path = withoutSlash(url.pathname);
  const places = [AUTHORIZATION_SERVER + path, OPENID + path, path + OPENID];
  for (const place of new Set(places)) {
    const found = await metadataAt(new URL(place, url.origin), issuer, send);
    if (found !== undefined) return found;
  }
  throw failed(url, "status 404 at every place where metadata may be");
}

async function metadataAt(url: URL, issuer: string, send: Send): Promise<Metadata | undefined> {
  const response = await get(url, send);
  if (response.status === 404) return undefined;
  const json = objectOf(response, url);
  if (typeof json.issuer !== "string" || withoutSlash(json.issuer) !== withoutSlash(issuer)) {
    throw invalid(url, `the issuer ${issuer}`, quoted(json.issuer));
  }
  return metadataIn({ ...json, issuer: json.issuer }, url);
}

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
] as const;

const LISTS = [
  "response_types_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "scopes_supported",
] as const;

/** Validates the metadata, and returns the members that this module uses. */
function metadataIn(json: JsonObject & { readonly issuer: string }, url: URL): Metadata {
  const endpoints = ENDPOINTS.flatMap((name) => {
    const value = json[name];
    if (value === undefined || value === null) return [];
    return [[name, endpoint(value, name, url).href] as const];
  });
  const lists = LISTS.flatMap((name) => {
    const value = json[name];
    return Array.isArray(value) ? [[name, value.filter((each) => typeof each === "string")] as const] : [];
  });
  const metadata: Metadata = {
    issuer: json.issuer,
    ...Object.fromEntries(endpoints),
    ...Object.fromEntries(lists),
    ...(json.authorization_response_iss_parameter_supported === true
      ? { authorization_response_iss_parameter_supported: true }
      : {}),
  };
  if (metadata.token_endpoint === undefined) throw invalid(url, "a token_endpoint", "none");
  return metadata;
}

async function get(url: URL, send: Send): Promise<EndpointResponse> {
  const headers = { accept: "application/json", "mcp-protocol-version": PROTOCOL_VERSION };
  try {
    return await send({ url, method: "GET", headers, body: undefined });
  } catch (error) {
    throw error instanceof EndpointError ? failed(url, error.message, error) : error;
  }
}

function objectOf({ status, body }: EndpointResponse, url: URL): JsonObject {
  if (status !== 200) throw failed(url, `status ${status}`);
  const value = smallJson(new TextDecoder().decode(body));
  if (isJsonObject(value)) return value;
  throw failed(url, "expected a JSON object, got something else");
}

function endpoint(value: JsonValue, name: string, where: URL): URL {
  const problem = problemOfEndpoint(value);
  if (problem === undefined) return new URL(String(value));
  throw invalid(where, `${name} to be ${ENDPOINT_EXPECTED}`, problem);
}

function failed(url: URL, problem: string, cause?: unknown) {
  return restError("OAUTH_DISCOVERY_FAILED", { url: url.href, problem }, { cause });
}

function invalid(url: URL, expected: string, got: string) {
  return restError("OAUTH_METADATA_INVALID", { url: url.href, expected, got });
}

function quoted(value: unknown): string {
  return value === undefined ? "none" : (JSON.stringify(value)?.slice(0, 200) ?? "none");
}
