import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { ERRORS } from "connect-rest-runtime/internal";
import { TokenFile } from "connect-rest-runtime/oauth";

/** Options for the location of the tokens. */
export interface TokenFileOption {
  readonly tokenFile?: string | undefined;
}

/** Opens the file with this user's tokens. An empty variable counts as not set. */
export function openTokenFile(
  { tokenFile = "" }: TokenFileOption,
  env: NodeJS.ProcessEnv = process.env,
): TokenFile {
  const file = tokenFile === "" ? path.join(configFolder(env), "connect-rest", "tokens.json") : tokenFile;
  return new TokenFile(path.resolve(file));
}

/** Returns the configuration folder of this user (XDG Base Directory; on Windows, the roaming profile). */
function configFolder({ XDG_CONFIG_HOME: xdg, APPDATA: appData }: NodeJS.ProcessEnv): string {
  if (process.platform === "win32" && appData !== undefined && appData !== "") return appData;
  // the specification says to ignore relative paths
  return xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(homedir(), ".config");
}

/** Reads a secret from a file that contains nothing else, without the trailing newline that editors add. */
export function readSecretFile(file: string): string {
  const text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  if (text === "") throw new Error(`the file ${file} is empty`);
  return text;
}

/** Runs a command; rethrows its errors with a remedy. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    throw new Error(`${error.rawMessage}\n${remedyOf(error)}`.trimEnd(), { cause: error });
  }
}

function remedyOf(error: ConnectError): string {
  const entry = Object.entries(ERRORS).find(([reason]) => reason === reasonOf(error));
  return entry?.[1].remedy ?? "";
}
