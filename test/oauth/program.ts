import { auth as newestAuth } from "@modelcontextprotocol/client";
import { auth as firstAuth } from "mcp-sdk-2025-03-26/client/auth.js";
import { visit } from "./browser.ts";

const REDIRECT = "http://127.0.0.1:9/callback";

interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
}

export interface ClientInformation {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
}

/** The state of a program that uses an SDK, and the redirect address with the browser's response. */
export class Program {
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

/** The first release and the newest release. */
export const SDKS: readonly (readonly [release: string, sdk: Sdk])[] = [
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
