import path from "node:path";
import type { AuthorizationOptions, StorePlace } from "connect-rest-authorization";
import type { ServiceAdapter } from "connect-rest-runtime";
import { hashOf, isOn } from "connect-rest-runtime/internal";
import type { CallerAuthorizationOptions } from "../authorization/caller-authorization.ts";
import { createScopeMap, EXPLAIN_SCOPES } from "../authorization/scopes.ts";
import { CONSOLE_CLIENT_ID } from "../call/console-client.ts";
import { methodFactsOf } from "../credentials/caller-rights.ts";
import type { AuthorizationConfig, ConfiguredClient } from "./authorization-schema.ts";
import type { Environment } from "./environment.ts";
import type { Config } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";
import { SecretReader } from "./secrets.ts";

/** The configured authorization of callers, before its store is opened. */
export interface ResolvedAuthorization extends Omit<CallerAuthorizationOptions, "store"> {
  readonly storePlace: StorePlace;
}

/** The minimum length of a secret, in characters: 32 random characters cannot be guessed. */
const MIN_SECRET = 32;

const DEFAULT_FILE = "authorization.sqlite";

/**
 * Reads the secrets and keys of `authorization`; returns undefined if callers are not authorized.
 *
 * @throws ConfigError naming each invalid setting
 */
export function resolveAuthorization(
  config: Config,
  env: Environment,
  adapters: readonly ServiceAdapter[],
): ResolvedAuthorization | undefined {
  const { authorization } = config;
  if (authorization === undefined) return undefined;
  const problems: Problem[] = [];
  const reader = new SecretReader(config, env, ["authorization"], problems);
  const { publicUrl, lifetimes, open } = authorization;
  const scopes = Object.entries(authorization.scopes).map(([name, { methods }]) => ({ name, methods }));
  const own = config.server.explain ? EXPLAIN_SCOPES : [];
  const { names } = createScopeMap(scopes, methodFactsOf(adapters, {}).annotated, own);
  const clients = Object.entries(authorization.clients).map(([id, client]) => {
    return readClient(id, client, { names, publicUrl }, reader);
  });
  const resolved = {
    publicUrl,
    scopes,
    lifetimes,
    open,
    clients,
    registration: readRegistration(authorization.registration, names, reader),
    storePlace: readStore(authorization.store, config, reader),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved;
}

function readStore(
  { file = DEFAULT_FILE, postgres }: AuthorizationConfig["store"],
  { directory }: Config,
  reader: SecretReader,
): StorePlace {
  if (postgres === undefined) return { file: path.resolve(directory, file) };
  const postgresUrl = reader.read(postgres, "store", "postgres").reveal();
  if (!/^postgres(?:ql)?:\/\//.test(postgresUrl)) {
    reader.report(
      "expected the address of a database: postgres://user:password@host/database",
      "store",
      "postgres",
    );
  }
  return { postgresUrl };
}

function readRegistration(
  { mode, initialAccessToken, redirectHosts, grants, scopes }: AuthorizationConfig["registration"],
  names: readonly string[],
  reader: SecretReader,
): AuthorizationOptions["registration"] {
  if ((mode === "token") !== (initialAccessToken !== undefined)) {
    reader.report(
      "mode: token and initialAccessToken belong together: name both, or neither",
      "registration",
    );
  }
  checkScopes(scopes, names, reader, "registration", "scopes");
  if (mode === "closed") return undefined;
  const place = ["registration", "initialAccessToken"];
  const token = initialAccessToken && readSecret(initialAccessToken, reader, ...place);
  if (token !== undefined && token !== "" && !/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    reader.report("a bearer token has letters, digits and ._~+/- alone (RFC 6750 section 2.1)", ...place);
  }
  return { initialAccessToken: token, redirectHosts, grants, scopes };
}

function readClient(
  id: string,
  client: ConfiguredClient,
  { names, publicUrl }: { readonly names: readonly string[]; readonly publicUrl: string },
  reader: SecretReader,
): AuthorizationOptions["clients"][number] {
  const { name, secret, jwks, redirectUris, grants, scopes } = client;
  const report = (text: string) => reader.report(text, "clients", id);
  const usesCodes = grants.includes("authorization_code");
  if (id === CONSOLE_CLIENT_ID) report("this is the id of the console; choose another one");
  if (secret !== undefined && jwks !== undefined) report("name one of secret and jwks");
  if (grants.includes("client_credentials") && secret === undefined && jwks === undefined) {
    report("a client that calls for itself must authenticate: name secret or jwks");
  }
  if (usesCodes && redirectUris.length === 0) {
    reader.report("authorization_code needs an address", "clients", id, "redirectUris");
  }
  for (const uri of redirectUris.filter((each) => isOn(publicUrl, each))) {
    const text = `expected addresses of the client, got ${uri}, which is on the gateway's own origin`;
    reader.report(text, "clients", id, "redirectUris");
  }
  checkScopes(scopes, names, reader, "clients", id, "scopes");
  return {
    client_id: id,
    client_name: name ?? id,
    grant_types: [...grants],
    response_types: usesCodes ? ["code"] : [],
    redirect_uris: [...redirectUris],
    scope: (scopes ?? names).join(" "),
    token_endpoint_auth_method: methodOf(client),
    ...(secret === undefined
      ? {}
      : { client_secret: hashOf(readSecret(secret, reader, "clients", id, "secret")) }),
    ...(jwks === undefined ? {} : { jwks: readKeys(jwks, reader, id) }),
  };
}

function methodOf({ secret, jwks }: ConfiguredClient): "none" | "client_secret_basic" | "private_key_jwt" {
  if (jwks !== undefined) return "private_key_jwt";
  return secret === undefined ? "none" : "client_secret_basic";
}

function readSecret(
  place: Parameters<SecretReader["read"]>[0],
  reader: SecretReader,
  ...keys: readonly string[]
): string {
  const secret = reader.read(place, ...keys).reveal();
  if (secret !== "" && secret.length < MIN_SECRET) {
    reader.report(`a secret needs ${MIN_SECRET} characters, e.g. of: openssl rand -hex 32`, ...keys);
  }
  return secret;
}

function readKeys(file: string, reader: SecretReader, id: string): { keys: object[] } {
  const text = reader.readText(file, `clients.${id}.jwks`);
  const keys = text === undefined ? [] : keysOf(text);
  if (keys === undefined || keys.some(isPrivate)) {
    reader.report(
      `${file} must be a JSON Web Key Set of public keys (RFC 7517): {"keys": [{"kty": ...}]}`,
      "clients",
      id,
      "jwks",
    );
  }
  return { keys: keys ?? [] };
}

function keysOf(text: string): object[] | undefined {
  try {
    const { keys } = Object(JSON.parse(text)) as { readonly keys?: unknown };
    const isSet =
      Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof Object(key).kty === "string");
    return isSet ? keys : undefined;
  } catch {
    return undefined;
  }
}

function isPrivate(key: object): boolean {
  return "d" in key || "k" in key || "priv" in key;
}

function checkScopes(
  scopes: readonly string[] | undefined,
  names: readonly string[],
  reader: SecretReader,
  ...keys: readonly string[]
): void {
  const unknown = scopes?.find((scope) => !names.includes(scope));
  if (unknown === undefined) return;
  reader.report(`there is no scope ${unknown}; there are ${names.join(", ")}`, ...keys);
}
