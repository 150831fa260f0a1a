import { Secret } from "connect-rest-runtime";
import { type ClientOptions, type SessionStatus, signIn, signInAsClient } from "connect-rest-runtime/oauth";
import { openBrowser } from "./browser.ts";
import { printLine } from "./output.ts";
import { explained, openTokenFile, readSecretFile, type TokenFileOption } from "./token-files.ts";

export interface LoginOptions extends TokenFileOption {
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly clientCredentials?: boolean;
  readonly scope?: string;
  readonly resource?: string;
  readonly port?: number;
  readonly browser: boolean;
}

/** Runs `connect-rest login`: signs a person or this program in to a gateway. */
export async function login(gateway: string, options: LoginOptions): Promise<void> {
  const { clientId, clientSecretFile, scope, resource, port } = options;
  const file = openTokenFile(options);
  const clientSecret =
    clientSecretFile === undefined ? undefined : new Secret(readSecretFile(clientSecretFile));
  if (clientSecret !== undefined && clientId === undefined) {
    throw new Error("--client-secret-file needs --client-id");
  }
  const client: ClientOptions = { clientId, clientSecret, scope, resource };
  const status = await explained(() =>
    options.clientCredentials === true
      ? asClient(gateway, client, file)
      : signIn(gateway, file, { ...client, port, open: (url) => lead(url, options.browser) }),
  );
  printLine(`signed in to ${status.server} ${describe(status)}`);
}

function asClient(gateway: string, client: ClientOptions, file: ReturnType<typeof openTokenFile>) {
  const { clientId, clientSecret } = client;
  if (clientId === undefined || clientSecret === undefined) {
    throw new Error("--client-credentials needs --client-id and --client-secret-file");
  }
  return signInAsClient(gateway, file, { ...client, clientId, clientSecret });
}

/** Directs a person to a URL. Always prints the URL, since the browser may not open. */
export function lead(url: URL, withBrowser: boolean): void {
  printLine("To sign in, open this address in a browser on this machine:");
  printLine(url.href);
  if (withBrowser) openBrowser(url);
}

/** Describes the rights of a session in words. */
export function describe({ clientId, grant, scope, expiresAt, isRefreshable }: SessionStatus): string {
  const who = grant === "client_credentials" ? `as the client ${clientId}` : `by the client ${clientId}`;
  const what = scope === undefined ? "" : `, scope ${scope}`;
  const end = expiresAt === undefined ? "" : `, token until ${new Date(expiresAt).toISOString()}`;
  return `${who}${what}${end}${isRefreshable ? ", refreshed by itself" : ""}`;
}
