import { Session } from "connect-rest-runtime/oauth";
import { printLine } from "./output.ts";
import { explained, openTokenFile, type TokenFileOption } from "./token-files.ts";

/**
 * Runs `connect-rest logout`: revokes the tokens for a gateway and deletes them, even if the revocation
 * fails.
 */
export async function logout(gateway: string, options: TokenFileOption): Promise<void> {
  const session = new Session(gateway, openTokenFile(options));
  const wasSignedIn = await explained(() => session.end());
  printLine(wasSignedIn ? `signed out of ${session.origin}` : `not signed in to ${session.origin}`);
}
