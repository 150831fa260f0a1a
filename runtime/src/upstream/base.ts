import { invalidOption } from "../errors/check-option.ts";
import { restError } from "../errors/rest-error.ts";

/** A base address. */
export interface Base {
  /** The scheme and host, and the port unless it is the default port. */
  readonly origin: string;
  /** The path prefix of all methods, without a trailing slash. Often empty. */
  readonly prefix: string;
}

/**
 * Parses a base address. It must use `http` or `https`, and have no user, query or fragment.
 *
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function parseBase(upstream: string, option: string, address: unknown): Base {
  const url = typeof address === "string" ? (URL.parse(address) ?? undefined) : undefined;
  const problem = url === undefined ? JSON.stringify(address) : baseFault(url);
  if (url !== undefined && problem === undefined) {
    return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
  }
  const expected = "an http or https URL without credentials, query and fragment";
  throw invalidOption(upstream, option, expected, String(problem));
}

/** Returns the kind of part that a base address must not have; undefined for a valid address. */
export function baseFault(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:") return `the scheme ${url.protocol}`;
  // the error must not repeat a password
  if (url.username !== "" || url.password !== "") return "a user or a password";
  if (url.search !== "") return "a query";
  return url.hash === "" ? undefined : "a fragment";
}

/**
 * Matches paths that every URL parser reads unchanged: segments of unreserved characters (RFC 3986 section
 * 2.3), without dot segments, and without empty segments except at the end. A test compares this pattern with
 * a URL parser.
 */
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?$/;

/**
 * Returns the path of a request below its base address. Every URL parser reads the path unchanged: no part of
 * it is collapsed, decoded or cut off.
 *
 * @throws ConnectError INTERNAL, reason REQUEST_PATH_CHANGED
 */
export function pathBelow(upstream: string, base: Base, path: string): string {
  const built = base.prefix + path;
  if (PLAIN_PATH.test(built)) return built;
  const parsed = URL.parse(built, base.origin);
  if (parsed?.pathname === built && parsed.origin === base.origin) return built;
  throw restError("REQUEST_PATH_CHANGED", { upstream, path: built, parsed: String(parsed?.pathname) });
}
