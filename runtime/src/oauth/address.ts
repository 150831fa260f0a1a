import { restError } from "../errors/rest-error.ts";
import { ENDPOINT_EXPECTED, problemOfEndpoint } from "../token-endpoint/endpoint-url.ts";

/**
 * The address of a server as somebody gave it.
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

/** An address that is compared: without the slash at its end, which means nothing there. */
export function withoutSlash(address: string): string {
  return address.endsWith("/") ? address.slice(0, -1) : address;
}
