import { isIP } from "node:net";
import { invalidOption } from "../errors/check-option.ts";
import { hostOf, isLoopbackOrigin } from "../text/loopback.ts";
import { Secret } from "../text/secret.ts";
import { resolveTls, type TlsOptions, type TlsSettings } from "./tls-options.ts";

/** A proxy for outgoing requests. */
export interface ProxyOptions {
  /** The address of the proxy: `http://proxy.example:3128`, or `https://…` for TLS to the proxy. */
  readonly url: string;
  /** The user name, for a proxy that requires authentication (HTTP Basic). */
  readonly username?: string | Secret | undefined;
  readonly password?: string | Secret | undefined;
  /**
   * The certificates of authorities for TLS to the proxy, in PEM. Default: the authorities that Node.js
   * trusts.
   */
  readonly ca?: TlsOptions["ca"];
}

/**
 * A proxy for all addresses, or a function that receives an origin and returns its proxy, or undefined for a
 * direct connection.
 */
export type ProxySource = ProxyOptions | ((origin: string) => ProxyOptions | undefined);

/** A validated proxy. */
export interface EgressProxy {
  readonly origin: string;
  /** The value of `Proxy-Authorization`. Undefined if there is none. */
  readonly authorization: Secret | undefined;
  /** The settings for TLS to the proxy. */
  readonly tls: TlsSettings;
  /** The secrets of the proxy, which must never be disclosed. */
  readonly secrets: readonly Secret[];
}

/**
 * Returns a function that returns the proxy of an origin. This machine is always reached directly, since on a
 * remote proxy its names and addresses would refer to another machine.
 *
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function resolveProxy(
  upstream: string,
  source: ProxySource | false | undefined,
): (origin: string) => EgressProxy | undefined {
  if (source === undefined || source === false) return () => undefined;
  if (typeof source === "function") {
    return (origin) => {
      const options = isLoopbackOrigin(origin) ? undefined : source(origin);
      return options === undefined ? undefined : checkProxy(upstream, options);
    };
  }
  const proxy = checkProxy(upstream, source);
  return (origin) => (isLoopbackOrigin(origin) ? undefined : proxy);
}

function checkProxy(upstream: string, options: ProxyOptions): EgressProxy {
  if (typeof options !== "object" || options === null) {
    throw invalidOption(upstream, "proxy", "an object, a function, or false", typeof options);
  }
  const { url, username, password, ca } = options;
  const parsed = typeof url === "string" ? (URL.parse(url) ?? undefined) : undefined;
  const problem = parsed === undefined ? "something else" : problemOf(parsed);
  if (parsed === undefined || problem !== undefined) {
    const expected = "an http or https URL without path and credentials";
    throw invalidOption(upstream, "proxy.url", expected, String(problem));
  }
  const { origin } = parsed;
  const { secureContext } = resolveTls(upstream, "proxy", { ca }) ?? {};
  // the name of the proxy itself, whatever the host in a request; no name for an IP address (RFC 6066 section
  // 3)
  const tls = { secureContext, serverName: isIP(hostOf(origin)) === 0 ? hostOf(origin) : "" };
  if (username === undefined) {
    if (password === undefined) return { origin, tls, authorization: undefined, secrets: [] };
    throw invalidOption(upstream, "proxy.username", "a text, since there is a password", "none");
  }
  const user = Secret.of(username).reveal();
  if (user.includes(":")) throw invalidOption(upstream, "proxy.username", "a text without a colon", "one");
  const word = Secret.of(password ?? "");
  const token = Buffer.from(`${user}:${word.reveal()}`).toString("base64");
  const secrets = [...(word.reveal() === "" ? [] : [word]), new Secret(token)];
  return { origin, tls, authorization: new Secret(`Basic ${token}`), secrets };
}

function problemOf({ protocol, username, password, pathname, search, hash }: URL): string | undefined {
  if (protocol !== "http:" && protocol !== "https:") return `the scheme ${protocol}`;
  // the error must not repeat a password
  if (username !== "" || password !== "") return "a user or a password in it";
  return pathname !== "/" || search !== "" || hash !== "" ? "more than an address" : undefined;
}
