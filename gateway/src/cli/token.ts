import { Session, tokenFromEnvironment } from "connect-rest-runtime/oauth";
import { printLine } from "./output.ts";
import { explained, openTokenFile, type TokenFileOption } from "./token-files.ts";

/** Runs `connect-rest token`: prints an access token, for other programs. */
export async function token(gateway: string, options: TokenFileOption): Promise<void> {
  const found = await explained(async () => {
    const tokens = tokenFromEnvironment(gateway, process.env) ?? new Session(gateway, openTokenFile(options));
    return await tokens.get();
  });
  printLine(found.reveal());
}
