import { stringify } from "yaml";
import type { Api, Scheme } from "../normalize/api.ts";
import { absoluteUrl, baseUrl } from "../plan/bases.ts";
import type { File } from "../proto/model.ts";
import type { Project } from "./model.ts";

/** The file that lists the adapters and upstreams of the gateway. */
export const CONFIGURATION_FILE = "connect-rest.yaml";

/** Returns the adapter that is generated from a `.proto` file, as the configuration lists it. */
export function adapterOf(path: string): string {
  return `./gen/${path.replace(/\.proto$/, "_rest.ts")}`;
}

/** Returns the adapters of all files with services. */
export function adaptersOf(files: readonly File[]): readonly string[] {
  return files.filter(({ services }) => services.length > 0).map(({ path }) => adapterOf(path));
}

/** Returns `connect-rest.yaml` with the upstream of the API. */
export function configuration({ api, upstream, files, bases }: Project): string {
  const [first, ...others] = api.servers;
  const credentials = credentialsOf([...api.schemes.values()], upstream);
  const config = stringify({
    adapters: adaptersOf(files),
    upstreams: {
      [upstream]: {
        baseUrl: baseUrl(api),
        ...(bases.size === 0
          ? {}
          : { bases: Object.fromEntries([...bases].map(([url, name]) => [name, url])) }),
        ...(credentials === undefined ? {} : { credentials }),
      },
    },
  });
  const notes = [
    ...(absoluteUrl(first?.url) === undefined
      ? ["The document does not say where the API is: set baseUrl."]
      : []),
    ...others.map(({ url, description }) => `Another server: ${withoutUser(url)} ${description}`.trim()),
  ];
  return `${notes.map((note) => `# ${note.replaceAll(/\s+/g, " ")}\n`).join("")}${config}`;
}

/** Returns an address without a user and a password, which the configuration must not contain. */
function withoutUser(url: string): string {
  return url.replace(/(?<=^(?:\w+:)?\/\/)[^/?#]*@/, "");
}

/** Returns the environment variables that the configuration reads. */
export function variablesOf(api: Api, upstream: string): readonly string[] {
  const credentials = JSON.stringify(credentialsOf([...api.schemes.values()], upstream) ?? {});
  return [...credentials.matchAll(/"env":"(\w+)"/g)].map(([, name = ""]) => name);
}

/** Returns the sources of the credentials, for each kind that the API accepts. */
function credentialsOf(schemes: readonly Scheme[], upstream: string): object | undefined {
  const prefix = upstream.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
  const kinds = new Set(schemes.map(({ kind }) => kind));
  const found = {
    ...(kinds.has("apiKey") ? { apiKey: { env: `${prefix}_KEY` } } : {}),
    ...(kinds.has("bearer") || kinds.has("oauth2")
      ? { oauth2: { accessToken: { env: `${prefix}_TOKEN` } } }
      : {}),
    ...(kinds.has("basic")
      ? { basic: { username: { env: `${prefix}_USER` }, password: { env: `${prefix}_PASSWORD` } } }
      : {}),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}
