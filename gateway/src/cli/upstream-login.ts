import path from "node:path";
import { Secret } from "connect-rest-runtime";
import { didYouMean } from "connect-rest-runtime/internal";
import {
  type OAuth1Token,
  type PersonOptions,
  signInByOAuth1,
  signInByOAuth2,
  TokenFile,
  writePrivateFile,
} from "connect-rest-runtime/oauth";
import { type Config, loadConfig, problemAt } from "../config/load.ts";
import { ConfigError } from "../config/problems.ts";
import type { SecretPlace } from "../config/schema-parts.ts";
import { valueOfSecret } from "../config/secrets.ts";
import type { CredentialPlaces } from "../config/upstream-schema.ts";
import { lead } from "./login.ts";
import { printLine } from "./output.ts";
import { explained } from "./token-files.ts";

export interface UpstreamLoginOptions {
  readonly config: string;
  readonly port?: number;
  readonly browser: boolean;
}

/**
 * Runs `connect-rest upstream-login`: lets a person authorize the gateway at an upstream. Writes the tokens
 * to the files from which the configuration reads them.
 */
export async function upstreamLogin(upstream: string, options: UpstreamLoginOptions): Promise<void> {
  const config = loadConfig(options.config, process.env);
  const { port, browser } = options;
  const person = { port, open: (url: URL) => lead(url, browser) };
  const { oauth1, oauth2 } = credentialsOf(config, upstream);
  const files = await explained(() =>
    oauth2?.authorizeUrl === undefined
      ? byOAuth1(oauth1, new Place(config, upstream, "oauth1"), person)
      : byOAuth2(oauth2, new Place(config, upstream, "oauth2"), person),
  );
  printLine(`wrote the token of ${upstream} to ${files.join(" and ")}`);
}

function credentialsOf(config: Config, upstream: string): CredentialPlaces {
  const found = config.upstreams[upstream];
  if (found !== undefined) return found.credentials ?? {};
  const text = `no upstream has the name ${upstream}.${didYouMean(upstream, Object.keys(config.upstreams))}`;
  throw new ConfigError([problemAt(config, ["upstreams"], text)]);
}

/** The configured credentials of one kind for an upstream. */
class Place {
  private readonly config: Config;
  private readonly path: readonly string[];

  readonly upstream: string;

  constructor(config: Config, upstream: string, kind: "oauth1" | "oauth2") {
    this.config = config;
    this.upstream = upstream;
    this.path = ["upstreams", upstream, "credentials", kind];
  }

  /** Returns the value of a setting that sign-in requires, or throws if it is missing. */
  needed<T>(value: T | undefined, key: string, example: string): T {
    if (value !== undefined) return value;
    throw this.wrong(key, `upstream-login needs it, e.g. ${key}: ${example}`);
  }

  secret(place: SecretPlace, key: string): Secret {
    try {
      return new Secret(valueOfSecret(place, this.config, process.env));
    } catch (error) {
      throw this.wrong(key, error instanceof Error ? error.message : String(error));
    }
  }

  /** Returns the file that contains a secret. */
  file(place: SecretPlace | undefined, key: string): string {
    const { file } = this.needed(place, key, `{ file: secrets/${this.upstream}-${key} }`);
    if (file !== undefined) return path.resolve(this.config.directory, file);
    throw this.wrong(key, "upstream-login writes it: name a file in place of the variable, { file: PATH }");
  }

  resolve(file: string): string {
    return path.resolve(this.config.directory, file);
  }

  private wrong(key: string, text: string): ConfigError {
    return new ConfigError([problemAt(this.config, [...this.path, key], text)]);
  }
}

async function byOAuth2(
  places: NonNullable<CredentialPlaces["oauth2"]>,
  place: Place,
  person: PersonOptions,
): Promise<string[]> {
  const { clientId, clientSecret, clientAuthentication, scope } = places;
  const authorizeUrl = place.needed(places.authorizeUrl, "authorizeUrl", "https://id.example/authorize");
  const tokenUrl = place.needed(places.tokenUrl, "tokenUrl", "https://id.example/token");
  const id = place.needed(clientId, "clientId", "{ env: CLIENT_ID }");
  const file = place.resolve(
    place.needed(places.tokenFile, "tokenFile", `secrets/${place.upstream}-tokens.json`),
  );
  const secret = clientSecret && place.secret(clientSecret, "clientSecret");
  const inBody = clientAuthentication === "body" ? "client_secret_post" : "client_secret_basic";
  const client = {
    id: typeof id === "string" ? id : place.secret(id, "clientId").reveal(),
    secret,
    method: secret === undefined ? ("none" as const) : inBody,
  } as const;
  const tokenFile = new TokenFile(file);
  // before the person signs in, checks that the token file can be read
  await tokenFile.entries();
  await signInByOAuth2({ authorizeUrl, tokenUrl, client, scope }, person, async (tokens) => {
    await tokenFile.update(place.upstream, () => ({ details: {}, tokens }));
  });
  return [file];
}

async function byOAuth1(
  places: CredentialPlaces["oauth1"],
  place: Place,
  person: PersonOptions,
): Promise<string[]> {
  const { consumerKey, consumerSecret, requestTokenUrl, authorizeUrl, accessTokenUrl } = places ?? {};
  const flow = {
    requestTokenUrl: place.needed(
      requestTokenUrl,
      "requestTokenUrl",
      "https://api.example/oauth/request_token",
    ),
    authorizeUrl: place.needed(authorizeUrl, "authorizeUrl", "https://api.example/oauth/authorize"),
    accessTokenUrl: place.needed(accessTokenUrl, "accessTokenUrl", "https://api.example/oauth/access_token"),
    consumerKey: place.secret(place.needed(consumerKey, "consumerKey", "{ env: KEY }"), "consumerKey"),
    consumerSecret: place.secret(
      place.needed(consumerSecret, "consumerSecret", "{ env: SECRET }"),
      "consumerSecret",
    ),
  };
  const token = place.file(places?.token, "token");
  const tokenSecret = place.file(places?.tokenSecret, "tokenSecret");
  await signInByOAuth1(flow, person, async (found: OAuth1Token) => {
    // a concurrent reader sees at worst the old token with the new secret, and never a partial file
    await writePrivateFile(tokenSecret, `${found.tokenSecret.reveal()}\n`);
    await writePrivateFile(token, `${found.token.reveal()}\n`);
  });
  return [token, tokenSecret];
}
