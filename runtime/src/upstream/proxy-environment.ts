import { BlockList, isIP } from "node:net";
import { restError } from "../errors/rest-error.ts";
import { hostOf } from "../text/loopback.ts";
import { Secret } from "../text/secret.ts";
import type { ProxyOptions } from "./proxy-options.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the proxies from the environment variables that most programs use: `HTTPS_PROXY` for https,
 * `HTTP_PROXY` for http, and `NO_PROXY` for hosts that are reached directly. Lower-case names take
 * precedence. A proxy has the form `http://user:password@proxy.example:3128`; if the scheme is missing, it is
 * http.
 *
 * `NO_PROXY` is a list separated by commas or spaces. `*` matches everything, `example.com` a host and its
 * subdomains, `.example.com` and `*.example.com` only the subdomains. `10.0.0.0/8` matches a network, and
 * `192.0.2.7` an address, but only for hosts that are addresses, since names are not resolved. Each entry may
 * end with a port: `example.com:8443`.
 *
 * @throws ConnectError reason OPTION_INVALID for an invalid address
 */
export function proxyFromEnvironment(env: Environment): (origin: string) => ProxyOptions | undefined {
  const http = readProxy(env, "HTTP_PROXY");
  const https = readProxy(env, "HTTPS_PROXY");
  const entries = readNoProxy(variable(env, "NO_PROXY")?.value ?? "");
  return (origin) => {
    const proxy = origin.startsWith("https:") ? https : http;
    return proxy === undefined || entries.some((matches) => matches(origin)) ? undefined : proxy;
  };
}

function variable(env: Environment, name: string) {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = env[spelling]?.trim();
    if (value !== undefined && value !== "") return { name: spelling, value };
  }
  return undefined;
}

function readProxy(env: Environment, name: "HTTP_PROXY" | "HTTPS_PROXY"): ProxyOptions | undefined {
  const found = variable(env, name);
  if (found === undefined) return undefined;
  const url = URL.parse(found.value.includes("://") ? found.value : `http://${found.value}`);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // the value may contain a password
    const got = url === null ? "something else" : `the scheme ${url.protocol}`;
    const expected = "an http or https address, e.g. http://proxy.example:3128";
    throw restError("OPTION_INVALID", { option: found.name, expected, got });
  }
  const { origin } = url;
  const [username, password] = [decoded(url.username), decoded(url.password)];
  return username === ""
    ? { url: origin }
    : { url: origin, username: new Secret(username), password: new Secret(password) };
}

/** Decodes percent-encoding. A percent sign that escapes nothing is literal. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Matches = (origin: string) => boolean;

function readNoProxy(list: string): Matches[] {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(matcherOf);
}

function matcherOf(entry: string): Matches {
  const { host, port } = splitPort(entry);
  const isHost = hostMatcher(host);
  return (origin) => (port === undefined || port === portOf(origin)) && isHost(hostOf(origin));
}

function splitPort(entry: string): { readonly host: string; readonly port: string | undefined } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  // an entry without brackets that has more than one colon is an IPv6 address
  return { host: bracketed ?? plain ?? entry, port: port === undefined ? undefined : String(Number(port)) };
}

function portOf(origin: string): string {
  const { port, protocol } = new URL(origin);
  return port !== "" ? port : protocol === "https:" ? "443" : "80";
}

function hostMatcher(text: string): (host: string) => boolean {
  if (text === "*") return () => true;
  const [address = "", bits] = text.split("/");
  const family = isIP(address);
  if (family !== 0) return networkMatcher(address, bits, family === 4 ? "ipv4" : "ipv6");
  const name = text.replace(/\.$/, "");
  const below = name.replace(/^\*?\./, ".");
  if (below.startsWith(".")) return (host) => host.endsWith(below) && host.length > below.length;
  return (host) => host === name || host.endsWith(`.${name}`);
}

function networkMatcher(address: string, bits: string | undefined, family: "ipv4" | "ipv6") {
  const longest = family === "ipv4" ? 32 : 128;
  const prefix = bits === undefined ? longest : /^\d+$/.test(bits) ? Number(bits) : Number.NaN;
  // an invalid network matches nothing
  if (!(prefix <= longest)) return () => false;
  const network = new BlockList();
  network.addSubnet(address, prefix, family);
  return (host: string) => {
    const hostFamily = isIP(host);
    return hostFamily !== 0 && network.check(host, hostFamily === 4 ? "ipv4" : "ipv6");
  };
}
