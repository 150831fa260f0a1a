import { Scope } from "../names/scope.ts";
import { snake, wordsOf } from "../names/words.ts";
import type { Api, Operation } from "../normalize/api.ts";

/** The address of an API whose document contains no address, or only a path. */
const UNKNOWN_HOST = "https://api.example.com";

/** Returns the address of a server without a trailing slash; undefined if the address is not absolute. */
export function absoluteUrl(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  const isUsable = parsed !== null && /^https?:$/.test(parsed.protocol) && !url?.includes("{");
  if (!isUsable) return undefined;
  // the configuration must not contain credentials, which an address in the document may have
  parsed.username = "";
  parsed.password = "";
  return parsed.href.replace(/[?#].*$/s, "").replace(/\/$/, "");
}

/** Returns the address of the API without a trailing slash, since paths begin with a slash. */
export function baseUrl({ servers }: Api): string {
  const url = servers[0]?.url;
  const found = absoluteUrl(url);
  if (found !== undefined) return found;
  const path = url?.startsWith("/") === true ? url.replace(/\/$/, "") : "";
  return `${UNKNOWN_HOST}${URL.parse(path, UNKNOWN_HOST)?.pathname.replace(/\/$/, "") ?? ""}`;
}

/** The base URLs of operations that have their own servers. */
export class Bases {
  /** The names, by URL. */
  readonly names: ReadonlyMap<string, string>;
  private readonly base: string;

  constructor(api: Api, operations: readonly Operation[]) {
    this.base = baseUrl(api);
    const scope = new Scope();
    const names = new Map<string, string>();
    for (const operation of operations) {
      const url = this.urlOf(operation);
      if (url === undefined || url === this.base || names.has(url)) continue;
      const { hostname, pathname } = new URL(url);
      const isSameHost = hostname === new URL(this.base).hostname;
      const [label = ""] = hostname.split(".");
      names.set(url, scope.give(snake(wordsOf(isSameHost ? pathname : label), "base")));
    }
    this.names = names;
  }

  /**
   * Returns the name of an operation's base URL; undefined for the base URL of the API, and "unknown" if
   * the server of the operation has no usable address.
   */
  of(operation: Operation): { readonly name: string } | "unknown" | undefined {
    const url = this.urlOf(operation);
    if (url === undefined) return operation.servers.length === 0 ? undefined : "unknown";
    const name = this.names.get(url);
    return name === undefined ? undefined : { name };
  }

  private urlOf({ servers: [server] }: Operation): string | undefined {
    if (server === undefined || server.url.includes("{")) return undefined;
    return absoluteUrl(URL.parse(server.url, this.base)?.href);
  }
}
