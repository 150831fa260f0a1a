import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { type ProxyOptions, Secret, type ServiceAdapter, type UpstreamOptions } from "connect-rest-runtime";
import type { FixedCredentials, TokenStore } from "connect-rest-runtime/internal";
import { rightsOf } from "../credentials/caller-rights.ts";
import { passThroughCredentials, wantedKindsOf } from "../credentials/pass-through.ts";
import type { Environment } from "./environment.ts";
import type { Config } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";
import { proxiesOf } from "./proxies.ts";
import type { SecretPlace } from "./schema-parts.ts";
import type { CredentialPlaces, ProxyPlaces } from "./upstream-schema.ts";
import { FileReader, readTls } from "./upstream-tls.ts";

/** Upstream settings that override the configuration, by name. */
export type UpstreamOverrides = Readonly<Record<string, UpstreamOptions>>;

/**
 * Returns the upstreams with their secrets and files. An override replaces all addresses, credentials and
 * network settings of an upstream, and the replaced secrets and files are not read. Errors for callers
 * without credentials name methods of the adapters.
 *
 * @throws ConfigError naming every secret that cannot be read
 */
export function resolveUpstreams(
  config: Config,
  env: Environment,
  overrides: UpstreamOverrides = {},
  adapters: readonly ServiceAdapter[] = [],
): Record<string, UpstreamOptions> {
  const problems: Problem[] = [];
  const environment = proxiesOf(env, problems);
  const resolved = withOverrides(config, overrides, (name, { proxy, tls, ...upstream }) => {
    const isApplicationToken = isOfApplication(upstream.credentials?.oauth2);
    const proxyReader = new SecretReader(config, env, ["upstreams", name, "proxy"], problems);
    return {
      proxy: proxy === undefined ? environment : proxy && readProxy(proxy, proxyReader),
      ...(isApplicationToken ? { isApplicationToken } : {}),
      tls: tls && readTls(tls, new FileReader(config, ["upstreams", name, "tls"], problems)),
      credentials: resolveCredentials(name, config, env, adapters, problems),
    };
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved;
}

/**
 * Returns the upstreams for dry runs, which open no connections: without proxies and TLS. The credentials of
 * an upstream are unknown if a secret cannot be read.
 */
export function dryUpstreams(
  config: Config,
  env: Environment,
  overrides: UpstreamOverrides = {},
  adapters: readonly ServiceAdapter[] = [],
): Record<string, UpstreamOptions> {
  return withOverrides(config, overrides, (name) => {
    const problems: Problem[] = [];
    const credentials = resolveCredentials(name, config, env, adapters, problems);
    return {
      credentials: problems.length === 0 ? credentials : () => Promise.reject(new ConfigError(problems)),
    };
  });
}

type UpstreamConfig = Config["upstreams"][string];

function withOverrides(
  { upstreams }: Config,
  overrides: UpstreamOverrides,
  resolve: (name: string, upstream: UpstreamConfig) => Partial<UpstreamOptions>,
): Record<string, UpstreamOptions> {
  const entries = Object.entries(upstreams).map(([name, upstream]): [string, UpstreamOptions] => {
    const { credentials: _, proxy: __, tls: ___, signIn: ____, ...settings } = upstream;
    const override = overrides[name];
    if (override === undefined) return [name, { ...settings, ...resolve(name, upstream) }];
    const { baseUrl: _____, bases: ______, ...limits } = settings;
    return [name, { ...limits, ...override }];
  });
  return { ...overrides, ...Object.fromEntries(entries) };
}

function resolveCredentials(
  name: string,
  config: Config,
  env: Environment,
  adapters: readonly ServiceAdapter[],
  problems: Problem[],
): UpstreamOptions["credentials"] {
  const { passThrough, ...places } = config.upstreams[name]?.credentials ?? {};
  const reader = new SecretReader(config, env, ["upstreams", name, "credentials"], problems);
  const all = readCredentials(places, reader, name);
  if (passThrough === undefined) return all;
  // callers send their own credentials; the other credentials belong to the gateway
  const fixed = config.authorization === undefined ? all : rightsOf(all, isOfApplication(places.oauth2));
  return passThroughCredentials(name, fixed, passThrough, wantedKindsOf(adapters));
}

/** Returns whether a secret can be read from its location. */
export function isSecretSet(place: SecretPlace, config: Config, env: Environment): boolean {
  try {
    return valueOfSecret(place, config, env) !== "";
  } catch {
    return false;
  }
}

function readCredentials(places: CredentialPlaces, reader: SecretReader, upstream: string): FixedCredentials {
  const { apiKey, oauth1, oauth2, basic } = places;
  return {
    apiKey: apiKey && reader.read(apiKey, "apiKey"),
    oauth1: oauth1 && {
      consumerKey: reader.read(oauth1.consumerKey, "oauth1", "consumerKey"),
      consumerSecret: reader.read(oauth1.consumerSecret, "oauth1", "consumerSecret"),
      token: oauth1.token && reader.read(oauth1.token, "oauth1", "token"),
      tokenSecret: oauth1.tokenSecret && reader.read(oauth1.tokenSecret, "oauth1", "tokenSecret"),
    },
    oauth2: oauth2 && readOAuth2(oauth2, reader, upstream),
    basic: basic && {
      username: reader.read(basic.username, "basic", "username"),
      password: basic.password && reader.read(basic.password, "basic", "password"),
    },
  };
}

function readOAuth2(
  places: NonNullable<CredentialPlaces["oauth2"]>,
  reader: SecretReader,
  upstream: string,
): FixedCredentials["oauth2"] {
  const { accessToken, tokenUrl, clientId = "", clientSecret, refreshToken, tokenFile } = places;
  if (tokenUrl === undefined) {
    return accessToken && { accessToken: reader.read(accessToken, "oauth2", "accessToken") };
  }
  const { clientAuthentication, scope, parameters } = places;
  return {
    tokenUrl,
    clientId: typeof clientId === "string" ? clientId : reader.read(clientId, "oauth2", "clientId"),
    clientSecret: clientSecret && reader.read(clientSecret, "oauth2", "clientSecret"),
    clientAuthentication,
    scope,
    parameters,
    refreshToken: refreshToken && reader.read(refreshToken, "oauth2", "refreshToken"),
    store: tokenFile === undefined ? undefined : reader.store(tokenFile, upstream),
  };
}

/**
 * Returns whether a token belongs to the application and not to a person: by configuration, or because the
 * client obtains the token for itself.
 */
function isOfApplication(oauth2: CredentialPlaces["oauth2"]): boolean {
  if (oauth2 === undefined) return false;
  const { application, tokenUrl, refreshToken, tokenFile } = oauth2;
  return application || (tokenUrl !== undefined && refreshToken === undefined && tokenFile === undefined);
}

function readProxy({ url, username, password, ca }: ProxyPlaces, reader: SecretReader): ProxyOptions {
  if (username === undefined && password !== undefined) {
    reader.report("a password needs a username", "password");
  }
  return {
    url,
    username: username && reader.read(username, "username"),
    password: username && password && reader.read(password, "password"),
    ca: ca === undefined ? undefined : reader.readAuthorities(ca, "ca"),
  };
}

/** A secret that was read, and the setting that contains its location. */
export interface ReadSecret {
  readonly path: readonly PropertyKey[];
  readonly secret: Secret;
}

/** The secrets read for a configuration, by their settings as JSON. */
const SECRETS = new WeakMap<Config, Map<string, ReadSecret>>();

/** Returns all secrets that were read for a configuration, by their settings. */
export function secretsOf(config: Config): ReadonlyMap<string, ReadSecret> {
  return SECRETS.get(config) ?? new Map();
}

/** Reads secrets and their related files, and collects problems. */
export class SecretReader extends FileReader {
  private readonly env: Environment;

  constructor(config: Config, env: Environment, path: readonly string[], problems: Problem[]) {
    super(config, path, problems);
    this.env = env;
  }

  read(place: SecretPlace, ...keys: readonly PropertyKey[]): Secret {
    try {
      const secret = new Secret(valueOfSecret(place, this.config, this.env));
      this.remember([...this.path, ...keys], secret);
      return secret;
    } catch (error) {
      this.report(error instanceof Error ? error.message : String(error), ...keys);
      return new Secret("");
    }
  }

  /** Records the value of a secret, which may change while its location stays the same. */
  private remember(path: readonly PropertyKey[], secret: Secret): void {
    const all = SECRETS.get(this.config) ?? new Map<string, ReadSecret>();
    SECRETS.set(this.config, all.set(JSON.stringify(path), { path, secret }));
  }

  /**
   * Returns the token store of an upstream; a token file that is missing or publicly readable is a problem.
   */
  store(tokenFile: string, upstream: string): TokenStore {
    const file = path.resolve(this.config.directory, tokenFile);
    const problem = problemOfTokenFile(file);
    if (problem !== undefined) {
      this.report(`${problem}: connect-rest upstream-login ${upstream}`, "oauth2", "tokenFile");
    }
    return tokensIn(file, upstream);
  }
}

/**
 * Returns the token store of an upstream in a file. The code that reads the file is loaded lazily, together
 * with the OAuth client.
 */
function tokensIn(file: string, upstream: string): TokenStore {
  return {
    name: `${file}#${upstream}`,
    update: async (refresh) => {
      const { TokenFile, tokenStore } = await import("connect-rest-runtime/oauth");
      return await tokenStore(new TokenFile(file), upstream).update(refresh);
    },
  };
}

/**
 * Returns a problem with a token file that can be detected without reading the file. Any other problem makes
 * the first call fail.
 */
function problemOfTokenFile(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return `there is no file ${file}; it is written by`;
  if (process.platform === "win32" || (found.mode & 0o077) === 0) return undefined;
  return `others may read ${file}; take its rights away (chmod 600), or write it anew by`;
}

export function valueOfSecret(
  { file, env: name = "" }: SecretPlace,
  config: Config,
  env: Environment,
): string {
  if (file !== undefined) return readSecretFile(file, config);
  const value = env[name];
  if (value === undefined || value === "") {
    throw new Error(`the environment variable ${VARIABLE.test(name) ? name : NAMED_HERE} is not set`);
  }
  return value;
}

/**
 * Patterns for names that may be shown. Strings that do not match may be secrets that were written in place
 * of their names.
 */
const VARIABLE = /^[A-Z][A-Z0-9]{0,15}(?:_[A-Z0-9]{1,16})*$/;
const FILE =
  /^(?=.*\/|.*\.[a-z]{1,8}$)[./~]*(?:[A-Za-z0-9]{1,20}(?:[/._-]+|$))+$|^[A-Za-z]{1,12}(?:[_-][A-Za-z]{1,12})*$/;
const NAMED_HERE = "that is named here";

function readSecretFile(file: string, config: Config): string {
  const shown = FILE.test(file);
  const resolved = path.resolve(config.directory, file);
  let value: string;
  try {
    // A trailing newline comes from an editor and is not part of the secret.
    value = readFileSync(resolved, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (shown) throw error;
    throw new Error(`the file ${NAMED_HERE} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (value === "") throw new Error(`the file ${shown ? resolved : NAMED_HERE} is empty`);
  return value;
}
