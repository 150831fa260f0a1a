import { createHash, randomBytes } from "node:crypto";
import { type AuthorizedGateway, PUBLIC_URL, TestBrowser } from "./authorized-gateway.ts";

/** The redirect URI of the clients. */
export const REDIRECT_URI = "http://127.0.0.1:4567/callback";

/** A parsed response of an endpoint. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

type Form = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** The steps of OAuth, each of which is one request, so that tests can vary every step. */
export class OAuthSteps {
  readonly served: Pick<AuthorizedGateway, "fetch">;

  constructor(served: Pick<AuthorizedGateway, "fetch">) {
    this.served = served;
  }

  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await this.served.fetch(PUBLIC_URL + path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  }

  post(path: string, form: Form, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const body = new URLSearchParams(form as Record<string, string>).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return this.request(path, { method: "POST", headers: { ...type, ...headers }, body });
  }

  token(form: Form, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.post("/token", form, headers);
  }

  register(metadata: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const body = JSON.stringify(metadata);
    return this.request("/register", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  }

  /** Registers a public client that signs people in. Resolves with the client's id. */
  async publicClient(): Promise<string> {
    const metadata = {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    };
    return String((await this.register(metadata)).body.client_id);
  }

  /**
   * Opens the authorization endpoint with valid parameters. `changes` replaces parameters; the value
   * undefined removes a parameter.
   */
  authorize(
    clientId: string,
    changes: Readonly<Record<string, string | undefined>> = {},
    further = "",
  ): Promise<URL | Response> {
    const parameters = {
      client_id: clientId,
      response_type: "code",
      redirect_uri: REDIRECT_URI,
      code_challenge: challengeOf(VERIFIER),
      code_challenge_method: "S256",
      scope: "echo",
      state: "state",
      ...changes,
    };
    const given = Object.entries(parameters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return new TestBrowser(this.served.fetch).open(
      `${PUBLIC_URL}/authorize?${new URLSearchParams(given)}${further}`,
    );
  }

  /** Signs in. Resolves with the authorization code. */
  async code(clientId: string, changes: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    const end = await this.authorize(clientId, changes);
    if (!(end instanceof URL)) throw new Error(await end.text());
    const code = end.searchParams.get("code");
    if (code === null) throw new Error(end.href);
    return code;
  }

  redeem(clientId: string, code: string, changes: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const form = { grant_type: "authorization_code", client_id: clientId, code, code_verifier: VERIFIER };
    return this.token({ ...form, redirect_uri: REDIRECT_URI, ...changes });
  }

  refresh(clientId: string, token: unknown, changes: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.token({
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: String(token),
      ...changes,
    });
  }

  /** Calls Echo or another method over Connect with JSON. Resolves with the status. */
  async call(token: unknown, method = "echo.v1.EchoService/Echo"): Promise<Answer> {
    return this.request(`/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${String(token)}` },
      body: '{"text":"hello"}',
    });
  }
}

/** The verifier of all flows in these steps. */
export const VERIFIER = randomBytes(32).toString("base64url");

/** The challenge of a verifier (RFC 7636 section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}
