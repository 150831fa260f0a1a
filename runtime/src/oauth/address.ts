import { restError } from "../errors/rest-error.ts";
import { ENDPOINT_EXPECTED, problemOfEndpoint } from "../token-endpoint/endpoint-url.ts";

/**
 * Parses the address of a server that a user has entered.
 *
 * @throws ConnectError reason OAUTH_ADDRESS_REFUSED
 */
export function parseServer(address: string): URL {
  const problem = problemOfEndpoint(address) ?? (address.includes("?") ? "a query in it" : undefined);
  if (problem === undefined) return new URL(address);
  throw restError("OAUTH_ADDRESS_REFUSED", {
    what: "the address of the server",
    expected: ENDPOINT_EXPECTED,
    got: problem,
  });
}

/** Returns an address in a form for comparisons, without a trailing slash, which has no meaning. */
export function withoutSlash(address: string): string {
  return address.endsWith("/") ? address.slice(0, -1) : address;
}
