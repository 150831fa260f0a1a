import { Secret } from "../text/secret.ts";
import type { AccessTokens } from "./session.ts";
import { entryName } from "./session.ts";

/**
 * The variable with an access token, for programs that nobody signs in, e.g.
 * those on standard input and output.
 */
export const TOKEN_VARIABLE = "CONNECT_REST_ACCESS_TOKEN";

/**
 * The token of the environment for a server; undefined where there is none. It is used as it is,
 * and not refreshed.
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
