import * as oauth from "oauth4webapi";

/** The page in a browser, or the address at which the browser stopped. */
export interface Page {
  readonly url: URL;
  readonly text?: string;
  readonly status?: number;
}

/** A person with a browser that follows redirects across hosts, and keeps cookies by host and path. */
export class Person {
  private readonly fetch: typeof fetch;
  private readonly cookies: Array<{ name: string; value: string; origin: string; path: string }> = [];
  /** All received pages and headers. */
  readonly seen: string[] = [];
  /** The values of all received cookies. */
  readonly secrets = new Set<string>();

  constructor(fetching: typeof fetch = fetch) {
    this.fetch = fetching;
  }

  /** Opens an address, and follows redirects up to a page or a redirect to `ends`. */
  async open(address: string, ends: string, init: RequestInit = {}): Promise<Page> {
    let url = new URL(address);
    let request = init;
    for (let hops = 0; hops < 25; hops++) {
      if (url.href.startsWith(ends)) return { url };
      const headers = { ...(request.headers as Record<string, string>), ...this.cookieHeader(url) };
      const response = await this.fetch(url, { ...request, headers, redirect: "manual" });
      const text = await response.text();
      this.seen.push(text, url.href, JSON.stringify([...response.headers]));
      this.keep(response, url);
      const location = response.headers.get("location");
      if (location === null) return { url, text, status: response.status };
      url = new URL(location, url);
      request = {};
    }
    throw new Error("too many redirects");
  }

  /** Submits the form of a page with a decision and other values. */
  submit(page: Page, decision: string, ends: string, more: Record<string, string> = {}): Promise<Page> {
    const text = page.text ?? "";
    const action = /<form method="post" action="([^"]+)"/.exec(text)?.[1] ?? "";
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = hidden.map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")] as const);
    const body = new URLSearchParams({ ...Object.fromEntries(fields), ...more, decision });
    return this.open(new URL(action, page.url).href, ends, { method: "POST", body });
  }

  private cookieHeader({ origin, pathname }: URL): Record<string, string> {
    const sent = this.cookies.filter(
      (each) =>
        each.origin === origin &&
        (pathname === each.path || pathname.startsWith(each.path.replace(/\/?$/, "/"))),
    );
    return sent.length === 0 ? {} : { cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; ") };
  }

  private keep(response: Response, { origin, pathname }: URL): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      const path = /; *path=([^;]*)/i.exec(cookie)?.[1] ?? pathname;
      const index = this.cookies.findIndex(
        (each) => each.name === name && each.path === path && each.origin === origin,
      );
      if (index >= 0) this.cookies.splice(index, 1);
      if (value !== "") this.secrets.add(value);
      if (value !== "") this.cookies.push({ name, value, origin, path });
    }
  }
}

/** The redirect URI of test clients, where no server listens. */
export const CLIENT_REDIRECT = "http://127.0.0.1:4567/callback";

/** A strict client of a gateway. */
export class TestClient {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  /** All verifiers, codes and tokens of this client. */
  readonly secrets = new Set<string>();
  private readonly redirectUri: string;
  private readonly options;

  private constructor(
    server: oauth.AuthorizationServer,
    client: oauth.Client,
    redirectUri: string,
    fetching: typeof fetch,
  ) {
    this.server = server;
    this.client = client;
    this.redirectUri = redirectUri;
    this.options = optionsOf(fetching);
  }

  /** Discovers a gateway and registers with it. */
  static async register(
    publicUrl: string,
    fetching: typeof fetch = fetch,
    redirectUri = CLIENT_REDIRECT,
    name = "A test",
  ): Promise<TestClient> {
    const issuer = new URL(publicUrl);
    const options = optionsOf(fetching);
    const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const metadata = {
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      client_name: name,
      grant_types: ["authorization_code", "refresh_token"],
    };
    const registered = await oauth.dynamicClientRegistrationRequest(server, metadata, options);
    const client = await oauth.processDynamicClientRegistrationResponse(registered);
    return new TestClient(server, client, redirectUri, fetching);
  }

  /** Returns the address that a person must open, and a function that redeems the result. */
  async begin(): Promise<{ address: string; redeem(back: URL): Promise<oauth.TokenEndpointResponse> }> {
    const verifier = oauth.generateRandomCodeVerifier();
    this.secrets.add(verifier);
    const state = oauth.generateRandomState();
    const address = new URL(this.server.authorization_endpoint ?? "");
    const parameters = {
      client_id: this.client.client_id,
      response_type: "code",
      redirect_uri: this.redirectUri,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return {
      address: address.href,
      redeem: async (back) => {
        const callback = oauth.validateAuthResponse(this.server, this.client, back, state);
        this.secrets.add(callback.get("code") ?? "");
        const response = await oauth.authorizationCodeGrantRequest(
          this.server,
          this.client,
          oauth.None(),
          callback,
          this.redirectUri,
          verifier,
          this.options,
        );
        return this.kept(await oauth.processAuthorizationCodeResponse(this.server, this.client, response));
      },
    };
  }

  /** Lets a person sign in and consent, and redeems the code. */
  async signIn(person: Person): Promise<oauth.TokenEndpointResponse> {
    const { address, redeem } = await this.begin();
    const page = await person.open(address, CLIENT_REDIRECT);
    const { url, text } =
      page.text === undefined ? page : await person.submit(page, "allow", CLIENT_REDIRECT);
    if (text !== undefined) throw new Error(text);
    return redeem(url);
  }

  async refresh(token: string): Promise<oauth.TokenEndpointResponse> {
    const response = await oauth.refreshTokenGrantRequest(
      this.server,
      this.client,
      oauth.None(),
      token,
      this.options,
    );
    return this.kept(await oauth.processRefreshTokenResponse(this.server, this.client, response));
  }

  private kept(tokens: oauth.TokenEndpointResponse): oauth.TokenEndpointResponse {
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      if (token !== undefined) this.secrets.add(token);
    }
    return tokens;
  }

  async revoke(token: string): Promise<void> {
    const response = await oauth.revocationRequest(
      this.server,
      this.client,
      oauth.None(),
      token,
      this.options,
    );
    await oauth.processRevocationResponse(response);
  }
}

function optionsOf(fetching: typeof fetch) {
  return {
    [oauth.customFetch]: (url: string, init: object) => fetching(url, init),
    [oauth.allowInsecureRequests]: true,
  };
}
