import { isLoopbackOrigin } from "../text/loopback.ts";

/**
 * The requirements for the address of an endpoint: OAuth 2.1 section 1.5, and RFC 8252 for addresses on this
 * machine.
 */
export const ENDPOINT_EXPECTED =
  "an https address without user and fragment (http on localhost, 127.0.0.1 and ::1 alone)";

/**
 * Describes the problem with an endpoint's address without revealing a password. Returns undefined if the
 * address is valid.
 */
export function problemOfEndpoint(address: unknown): string | undefined {
  const url = typeof address === "string" ? URL.parse(address) : null;
  if (url === null) return typeof address === "string" ? "no URL" : typeof address;
  if (url.username !== "" || url.password !== "") return "a user or a password in it";
  if (url.hash !== "") return "a fragment in it";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return `the scheme ${url.protocol}`;
  return isLoopbackOrigin(url.origin) ? undefined : `http to ${url.host}`;
}
