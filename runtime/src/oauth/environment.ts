import { Secret } from "../text/secret.ts";
import type { AccessTokens } from "./session.ts";
import { entryName } from "./session.ts";

/**
 * The environment variable that contains an access token, for programs without a user who could sign in, e.g.
 * programs on standard input and output.
 */
export const TOKEN_VARIABLE = "CONNECT_REST_ACCESS_TOKEN";

/**
 * Returns the token in the environment for a server, or undefined if there is none. The token is used
 * unchanged, and never refreshed.
 *
 * @throws ConnectError reason OAUTH_ADDRESS_REFUSED
 */
export function tokenFromEnvironment(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): AccessTokens | undefined {
  const origin = entryName(address);
  const value = env[TOKEN_VARIABLE]?.trim();
  if (value === undefined || value === "") return undefined;
  const token = new Secret(value);
  return { origin, get: async () => token, another: async () => undefined };
}
