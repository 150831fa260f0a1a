import { isLoopbackOrigin } from "../text/loopback.ts";

/**
 * What the address of an endpoint has to be: OAuth 2.1 section 1.5,
 * with RFC 8252 for what does not leave the machine.
 */
export const ENDPOINT_EXPECTED =
  "an https address without user and fragment (http on localhost, 127.0.0.1 and ::1 alone)";

/**
 * What is wrong with the address of an endpoint, in words that give no password away;
 * undefined where it may be used.
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
