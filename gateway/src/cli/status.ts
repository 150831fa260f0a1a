import { allStatuses, Session, type SessionStatus } from "connect-rest-runtime/oauth";
import { EXIT_STATUS } from "./exit-status.ts";
import { describe } from "./login.ts";
import { printError, printLine } from "./output.ts";
import { printableJson } from "./printable-json.ts";
import { explained, openTokenFile, type TokenFileOption } from "./token-files.ts";

export interface StatusOptions extends TokenFileOption {
  readonly json?: boolean;
}

/**
 * Runs `connect-rest status`: lists the gateways where this user is signed in, without contacting a server.
 */
export async function status(gateway: string | undefined, options: StatusOptions): Promise<void> {
  const file = openTokenFile(options);
  const found = await explained(async () => {
    if (gateway === undefined) return await allStatuses(file);
    const one = await new Session(gateway, file).status();
    return one === undefined ? [] : [one];
  });
  if (options.json === true) {
    printLine(printableJson(JSON.stringify(found.map(asJson), null, 2)));
  } else {
    for (const each of found) printLine(`${each.server}: signed in ${describe(each)}`);
  }
  if (found.length > 0) return;
  printError(`not signed in to ${gateway ?? "any gateway"}; sign in with connect-rest login`);
  process.exitCode = EXIT_STATUS.failure;
}

function asJson({ expiresAt, ...rest }: SessionStatus): object {
  return { ...rest, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString() };
}
