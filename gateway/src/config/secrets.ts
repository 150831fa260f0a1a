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

/** Settings of upstreams that win over the configuration, by name. */
export type UpstreamOverrides = Readonly<Record<string, UpstreamOptions>>;

/**
 * The upstreams with their secrets and files read. An override replaces addresses, credentials and all about
 * the network as a whole, and what stands in their place is not read. The adapters are for the texts of
 * callers who bring no credentials.
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
  const resolved: Record<string, UpstreamOptions> = {};
  const environment = proxiesOf(env, problems);
  for (const [name, { credentials, proxy, tls, signIn: _signIn, ...settings }] of Object.entries(
    config.upstreams,
  )) {
    const override = overrides[name];
    if (override !== undefined) {
      const { baseUrl: _, bases: __, ...limits } = settings;
      resolved[name] = { ...limits, ...override };
      continue;
    }
    const { passThrough, ...places } = credentials ?? {};
    const reader = new SecretReader(config, env, ["upstreams", name, "credentials"], problems);
    const all = readCredentials(places, reader, name);
    const isApplicationToken = isOfApplication(places.oauth2);
    // what callers bring is theirs, and what stands beside it is not
    const fixed =
      passThrough === undefined || config.authorization === undefined
        ? all
        : rightsOf(all, isApplicationToken);
    const proxyReader = new SecretReader(config, env, ["upstreams", name, "proxy"], problems);
    resolved[name] = {
      ...settings,
      proxy: proxy === undefined ? environment : proxy && readProxy(proxy, proxyReader),
      ...(isApplicationToken ? { isApplicationToken } : {}),
      tls: tls && readTls(tls, new FileReader(config, ["upstreams", name, "tls"], problems)),
      credentials:
        passThrough === undefined
          ? fixed
          : passThroughCredentials(name, fixed, passThrough, wantedKindsOf(adapters)),
    };
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...overrides, ...resolved };
}

/** Whether a secret can be read from its place. */
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
 * Whether a token is no person's: as the configuration says, or because nobody but the client asks for it.
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

/** A secret that was read, and the setting that says from where. */
export interface ReadSecret {
  readonly path: readonly PropertyKey[];
  readonly secret: Secret;
}

/** By the settings in JSON, what was read for a configuration. */
const SECRETS = new WeakMap<Config, Map<string, ReadSecret>>();

/** All secrets that were read for a configuration, by their settings. */
export function secretsOf(config: Config): ReadonlyMap<string, ReadSecret> {
  return SECRETS.get(config) ?? new Map();
}

/** Reads secrets from their places, and files beside them, and collects what goes wrong. */
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

  /** The place of a secret may stay the same where the secret does not. */
  private remember(path: readonly PropertyKey[], secret: Secret): void {
    const all = SECRETS.get(this.config) ?? new Map<string, ReadSecret>();
    SECRETS.set(this.config, all.set(JSON.stringify(path), { path, secret }));
  }

  /**
   * Where the tokens of an upstream are kept; a file that is missing, or that others can read, is a problem.
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
 * The tokens of an upstream in a file; its reader is loaded with them, beside all that a client of OAuth is.
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

/** What is seen at once; whatever else is wrong is an error of the first call. */
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

/** Names that are shown. Others may be secrets, where somebody wrote the value in the place of its name. */
const VARIABLE = /^[A-Z][A-Z0-9]{0,15}(?:_[A-Z0-9]{1,16})*$/;
const FILE =
  /^(?=.*\/|.*\.[a-z]{1,8}$)[./~]*(?:[A-Za-z0-9]{1,20}(?:[/._-]+|$))+$|^[A-Za-z]{1,12}(?:[_-][A-Za-z]{1,12})*$/;
const NAMED_HERE = "that is named here";

function readSecretFile(file: string, config: Config): string {
  const shown = FILE.test(file);
  const resolved = path.resolve(config.directory, file);
  let value: string;
  try {
    // A final newline is the editor's, not the secret's.
    value = readFileSync(resolved, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (shown) throw error;
    throw new Error(`the file ${NAMED_HERE} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (value === "") throw new Error(`the file ${shown ? resolved : NAMED_HERE} is empty`);
  return value;
}
