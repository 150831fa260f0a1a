import { randomBytes } from "node:crypto";
import { Secret, type UpstreamFetch } from "connect-rest-runtime";
import { type Parameter, readOAuth1Token, signOAuth1 } from "connect-rest-runtime/internal";
import { type Departure, type Provider, ProviderError, type ReturnAddress, shown } from "./provider.ts";
import type { Consumer, OAuth1Tokens, UpstreamTokens } from "./tokens.ts";

/** The settings of the gateway as a consumer of an OAuth 1.0a server. */
export interface OAuth1ProviderSettings extends Consumer {
  readonly requestTokenEndpoint: string;
  readonly authorizationEndpoint: string;
  readonly accessTokenEndpoint: string;
  /** The HTTP method of the access token request. RFC 5849 section 2.3 specifies POST. */
  readonly accessTokenMethod: "GET" | "POST";
  /** Additional parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface SignedRequest {
  readonly method: "GET" | "POST";
  readonly address: string;
  readonly parameters: readonly Parameter[];
  /** The temporary credentials; undefined in the request that obtains these credentials. */
  readonly given?: { readonly token: Secret; readonly tokenSecret: Secret } | undefined;
}

/** Signs in with OAuth 1.0a (RFC 5849): temporary credentials, authorization, token credentials. */
export class OAuth1Provider implements Provider {
  private readonly settings: OAuth1ProviderSettings;
  private readonly http: UpstreamFetch;
  private readonly now: () => number;

  constructor(settings: OAuth1ProviderSettings, http: UpstreamFetch, now: () => number) {
    this.settings = settings;
    this.http = http;
    this.now = now;
  }

  /**
   * The callback is the address of the flow, not the fixed return address: if the person rejects the sign-in,
   * the upstream may redirect back without parameters.
   */
  async depart({ flowUrl }: ReturnAddress): Promise<Departure> {
    const { requestTokenEndpoint: address, authorizationEndpoint, parameters: more } = this.settings;
    const parameters = [["oauth_callback", flowUrl]] as const;
    const { token, tokenSecret } = await this.tokenFrom("the request for temporary credentials", {
      method: "POST",
      address,
      parameters,
    });
    const url = new URL(authorizationEndpoint);
    for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
    url.searchParams.set("oauth_token", token);
    return { address: url.href, pending: { token, tokenSecret } };
  }

  async arrive(
    query: URLSearchParams,
    _to: ReturnAddress,
    { token = "", tokenSecret = "" }: Departure["pending"],
  ): Promise<UpstreamTokens> {
    for (const name of ["oauth_token", "oauth_verifier"]) {
      if (query.getAll(name).length > 1) throw new ProviderError("invalid", `the return has ${name} twice`);
    }
    const [returned, verifier] = [query.get("oauth_token"), query.get("oauth_verifier")];
    if (returned !== null && returned !== token) {
      throw new ProviderError("invalid", "the return is for other temporary credentials");
    }
    if (returned === null || verifier === null || verifier === "") {
      throw new ProviderError("denied", "the return has no verifier");
    }
    const { accessTokenEndpoint: address, accessTokenMethod: method } = this.settings;
    const parameters = [["oauth_verifier", verifier]] as const;
    const given = { token: new Secret(token), tokenSecret: new Secret(tokenSecret) };
    return await this.tokenFrom("the request for a token", { method, address, parameters, given });
  }

  refresh(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  revoke(): Promise<void> {
    return Promise.resolve();
  }

  private async tokenFrom(what: string, request: SignedRequest): Promise<OAuth1Tokens> {
    const { status, text } = await this.sent(what, request);
    if (status >= 500 || status === 429) {
      throw new ProviderError("unavailable", `${what}: status ${status}`);
    }
    if (status !== 200) {
      const failure = request.given === undefined ? "misconfigured" : "rejected";
      throw new ProviderError(failure, `${what}: status ${status}`);
    }
    const read = readOAuth1Token(text);
    if (read === "none") {
      throw new ProviderError("invalid", `${what}: the response has no token, or one that cannot be sent`);
    }
    if (read === "unconfirmed") {
      throw new ProviderError("misconfigured", `${what}: the callback is not confirmed`);
    }
    return { kind: "oauth1", ...read };
  }

  private async sent(what: string, { method, address, parameters, given }: SignedRequest) {
    const url = new URL(address);
    const moment = { now: this.now(), nonce: randomBytes(16).toString("hex") };
    const authorization = signOAuth1({ method, url, parameters }, { ...this.settings, ...given }, moment);
    try {
      const body = method === "POST" ? new Uint8Array() : null;
      const response = await this.http.fetch(url.href, { method, headers: { authorization }, body });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new ProviderError("unavailable", `${what}: ${shown(text)}`, error);
    }
  }
}
