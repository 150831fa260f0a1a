import { auth as newestAuth } from "@modelcontextprotocol/client";
import { auth as firstAuth } from "mcp-sdk-2025-03-26/client/auth.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { visit } from "./browser.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";

const REDIRECT = "http://127.0.0.1:9/callback";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
}

interface ClientInformation {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
}

/** The state of a program that uses an SDK, and the redirect address with the browser's response. */
class Program {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "a program",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  back: URL | undefined;
  kept: Tokens | undefined;
  private client: ClientInformation | undefined;
  private verifier = "";

  clientInformation = () => this.client as never;
  saveClientInformation = (client: ClientInformation) => {
    this.client = client;
  };
  tokens = () => this.kept as never;
  saveTokens = (tokens: Tokens) => {
    this.kept = tokens;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  invalidateCredentials = () => {
    this.kept = undefined;
  };
  redirectToAuthorization = async (url: URL) => {
    this.back = new URL((await visit(url, REDIRECT)).url);
  };

  /** Returns a parameter of the redirect address. */
  returned(name: string): string {
    return this.back?.searchParams.get(name) ?? "";
  }
}

/** An SDK's `auth` function, in both releases. */
interface Sdk {
  readonly start: (program: Program, serverUrl: string) => Promise<string>;
  readonly finish: (program: Program, serverUrl: string) => Promise<string>;
}

const SDKS: readonly (readonly [release: string, sdk: Sdk])[] = [
  [
    "revision 2025-03-26",
    {
      start: (program, serverUrl) => firstAuth(program, { serverUrl }),
      finish: (program, serverUrl) =>
        firstAuth(program, { serverUrl, authorizationCode: program.returned("code") }),
    },
  ],
  [
    "the newest",
    {
      start: (program, serverUrl) => newestAuth(program as never, { serverUrl }),
      finish: (program, serverUrl) => {
        const [authorizationCode, iss] = [program.returned("code"), program.returned("iss")];
        return newestAuth(program as never, { serverUrl, authorizationCode, iss });
      },
    },
  ],
];

test.each(SDKS)("an SDK of the context protocol registers, signs in and refreshes: %s", async (_, sdk) => {
  const program = new Program();
  // A server of this protocol has a path, unlike its authorization server.
  const serverUrl = `${gateway.url}/mcp`;
  expect(await sdk.start(program, serverUrl)).toBe("REDIRECT");
  expect(await sdk.finish(program, serverUrl)).toBe("AUTHORIZED");
  const first = program.kept;
  expect(await gateway.echo(first?.access_token ?? "")).toBe(200);
  expect(await sdk.start(program, serverUrl)).toBe("AUTHORIZED");
  expect(program.kept?.refresh_token).not.toBe(first?.refresh_token);
  expect(await gateway.echo(program.kept?.access_token ?? "")).toBe(200);
  const last = program.kept?.access_token ?? "";
  await revoke(program);
  expect(await gateway.echo(last)).toBe(401);
  // Revoked tokens cannot be refreshed, so the person must sign in again.
  expect(await sdk.start(program, serverUrl)).toBe("REDIRECT");
});

/** Revokes a token. The SDKs have no function for revocation. */
async function revoke(program: Program): Promise<void> {
  const client: ClientInformation = program.clientInformation();
  const body = new URLSearchParams({ client_id: client.client_id, token: program.kept?.refresh_token ?? "" });
  const response = await fetch(`${gateway.url}/revoke`, { method: "POST", body });
  expect(response.status).toBe(200);
}
