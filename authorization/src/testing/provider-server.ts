import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "connect-rest-runtime";
import type { OAuth1ProviderSettings } from "../sign-in/oauth1-provider.ts";
import type { OAuth2ProviderSettings } from "../sign-in/oauth2-provider.ts";
import type { UpstreamTokens } from "../sign-in/tokens.ts";

/** A request to an endpoint of an upstream. */
export interface ProviderRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
}

/** Responds in place of an endpoint. Returns `false` if the endpoint itself is to respond. */
export type Fault = (request: ProviderRequest, response: ServerResponse) => boolean | undefined;

/** A simulated upstream with an OAuth 2 server that rotates refresh tokens. Tests control the server. */
export interface OAuth2TestProvider {
  readonly url: string;
  readonly settings: OAuth2ProviderSettings;
  /**
   * The number of requests to each endpoint: `/authorize`, `/token code`, `/token refresh`, `/revoke`, `/me`.
   */
  readonly counts: Map<string, number>;
  /** The tokens that were revoked. */
  readonly revoked: string[];
  /** All secrets that the server has issued or received. They must not appear anywhere else. */
  readonly secrets: Set<string>;
  /** By endpoint. */
  readonly faults: Map<string, Fault>;
  /** The account that signs in next. */
  account: string;
  /** The lifetime of access tokens, in seconds; undefined to omit it from responses. */
  lifetime: number | undefined;
  /** Whether the server issues refresh tokens. */
  hasRefresh: boolean;
  /** Whether a refresh token can be used only once. */
  rotates: boolean;
  /** Invalidates all access tokens. */
  expire(): void;
  /** Forgets everything. */
  forget(): void;
  accountOf(accessToken: string): string | undefined;
  /** Returns the tokens of a sign-in without performing the sign-in. The tokens do not expire. */
  signIn(): UpstreamTokens;
  close(): Promise<void>;
}

const CLIENT_ID = "gateway";
const CLIENT_SECRET = "provider-client-secret-000000000000000001";

/** Starts a simulated OAuth 2 provider. */
export async function startOAuth2Provider(): Promise<OAuth2TestProvider> {
  const codes = new Map<string, { account: string; challenge: string | null; redirectUri: string | null }>();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const token = () => {
    const value = `tp-${randomBytes(16).toString("hex")}`;
    provider.secrets.add(value);
    return value;
  };
  const issue = (account: string) => {
    const accessToken = token();
    access.set(accessToken, account);
    const body: Record<string, unknown> = {
      access_token: accessToken,
      token_type: "bearer",
      id_token: false,
    };
    if (provider.lifetime !== undefined) body.expires_in = provider.lifetime;
    if (provider.hasRefresh) {
      const refreshToken = token();
      refresh.set(refreshToken, account);
      body.refresh_token = refreshToken;
    }
    return body;
  };
  const endpoints: Record<string, (request: ProviderRequest, response: ServerResponse) => void> = {
    "/authorize": ({ query }, response) => {
      const code = token();
      const redirectUri = query.get("redirect_uri");
      codes.set(code, { account: provider.account, challenge: query.get("code_challenge"), redirectUri });
      const back = new URL(redirectUri ?? "http://127.0.0.1:1/");
      back.searchParams.set("code", code);
      back.searchParams.set("state", query.get("state") ?? "");
      response.writeHead(302, { location: back.href }).end();
    },
    "/token code": ({ form }, response) => {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const verifier = form.get("code_verifier");
      if (verifier !== null) provider.secrets.add(verifier);
      const challenge = verifier === null ? null : createHash("sha256").update(verifier).digest("base64url");
      const fits = code?.challenge === challenge && code?.redirectUri === form.get("redirect_uri");
      if (code === undefined || !fits) return send(response, 400, { error: "invalid_grant" });
      send(response, 200, issue(code.account));
    },
    "/token refresh": ({ form }, response) => {
      const given = form.get("refresh_token") ?? "";
      const account = refresh.get(given);
      if (provider.rotates) refresh.delete(given);
      if (account === undefined) return send(response, 400, { error: "invalid_grant" });
      send(response, 200, issue(account));
    },
    "/revoke": ({ form }, response) => {
      const given = form.get("token") ?? "";
      provider.revoked.push(given);
      access.delete(given);
      refresh.delete(given);
      response.end();
    },
    "/echo": ({ headers }, response) => {
      const account = access.get((headers.authorization ?? "").replace(/^Bearer /, ""));
      if (account === undefined) return send(response, 401, { error: "invalid_token" });
      send(response, 200, { text: account });
    },
    "/me": ({ headers }, response) => {
      const account = access.get((headers.authorization ?? "").replace(/^Bearer /, ""));
      if (account === undefined) return send(response, 401, { error: "invalid_token" });
      send(response, 200, { user: { name: account } });
    },
  };
  const server = await listen(async (path, request, response) => {
    const grant = request.form.get("grant_type");
    const kind = { authorization_code: "code", refresh_token: "refresh" }[grant ?? ""];
    const name = kind === undefined ? path : `${path} ${kind}`;
    provider.counts.set(name, (provider.counts.get(name) ?? 0) + 1);
    if (provider.faults.get(name)?.(request, response) === true) return;
    const isClients = path === "/token" || path === "/revoke";
    const [, basic = ""] = (request.headers.authorization ?? "").split("Basic ");
    const pair = Buffer.from(basic, "base64").toString().split(":").map(decodeURIComponent).join(":");
    if (isClients && pair !== `${CLIENT_ID}:${CLIENT_SECRET}`) {
      return send(response, 401, { error: "invalid_client" });
    }
    const endpoint = endpoints[name];
    if (endpoint === undefined) return send(response, 404, {});
    endpoint(request, response);
  });
  const provider: OAuth2TestProvider = {
    url: server.url,
    settings: {
      authorizationEndpoint: `${server.url}/authorize`,
      tokenEndpoint: `${server.url}/token`,
      revocationEndpoint: `${server.url}/revoke`,
      clientId: CLIENT_ID,
      clientSecret: new Secret(CLIENT_SECRET),
      clientAuthentication: "client_secret_basic",
      scopes: ["read", "write"],
      pkce: true,
      parameters: {},
    },
    counts: new Map(),
    revoked: [],
    secrets: new Set([CLIENT_SECRET]),
    faults: new Map(),
    account: "demo",
    lifetime: 3600,
    hasRefresh: true,
    rotates: true,
    expire: () => access.clear(),
    forget: () => {
      access.clear();
      refresh.clear();
    },
    accountOf: (accessToken) => access.get(accessToken),
    signIn: () => {
      const { access_token, refresh_token } = issue(provider.account);
      return { kind: "oauth2", accessToken: String(access_token), refreshToken: String(refresh_token) };
    },
    close: server.close,
  };
  return provider;
}

/** A simulated upstream with an OAuth 1.0a server. */
export interface OAuth1TestProvider {
  readonly url: string;
  readonly settings: OAuth1ProviderSettings;
  readonly counts: Map<string, number>;
  readonly secrets: Set<string>;
  readonly faults: Map<string, Fault>;
  account: string;
  /** Invalidates all tokens. */
  forget(): void;
  close(): Promise<void>;
}

const CONSUMER_KEY = "provider-consumer-key-0000000001";
const CONSUMER_SECRET = "provider-consumer-secret-0000001";

/**
 * Starts a simulated OAuth 1.0a provider. It verifies signatures (RFC 5849 section 3.2) independently of the
 * runtime.
 */
export async function startOAuth1Provider(): Promise<OAuth1TestProvider> {
  const temporary = new Map<string, { secret: string; callback: string; verifier?: string }>();
  const tokens = new Map<string, { secret: string; account: string }>();
  const token = () => {
    const value = `tp-${randomBytes(16).toString("hex")}`;
    provider.secrets.add(value);
    return value;
  };
  const form = (response: ServerResponse, values: Record<string, string>) =>
    response
      .writeHead(200, { "content-type": "application/x-www-form-urlencoded" })
      .end(new URLSearchParams(values).toString());
  const server = await listen((path, request, response) => {
    provider.counts.set(path, (provider.counts.get(path) ?? 0) + 1);
    if (provider.faults.get(path)?.(request, response) === true) return;
    if (path === "/authorize") {
      const given = request.query.get("oauth_token") ?? "";
      const row = temporary.get(given);
      if (row === undefined) return send(response, 404, {});
      row.verifier = token();
      const back = new URL(row.callback);
      back.searchParams.set("oauth_token", given);
      back.searchParams.set("oauth_verifier", row.verifier);
      response.writeHead(302, { location: `${back.href}#_=_` }).end();
      return;
    }
    const protocol = protocolOf(request.headers.authorization ?? "");
    const given = protocol.get("oauth_token") ?? "";
    const row = temporary.get(given);
    const secret = path === "/me" ? tokens.get(given)?.secret : row?.secret;
    const key = [CONSUMER_SECRET, path === "/request" ? "" : (secret ?? "?")].join("&");
    if (protocol.get("oauth_signature") !== signature(`${provider.url}${path}`, request, protocol, key)) {
      return send(response, 401, { error: "signature" });
    }
    if (path === "/request") {
      const values = { oauth_token: token(), oauth_token_secret: token() };
      const callback = protocol.get("oauth_callback") ?? "";
      temporary.set(values.oauth_token, { secret: values.oauth_token_secret, callback });
      form(response, { ...values, oauth_callback_confirmed: "true" });
    } else if (path === "/access") {
      temporary.delete(given);
      if (row?.verifier === undefined || row.verifier !== protocol.get("oauth_verifier")) {
        return send(response, 401, {});
      }
      const values = { oauth_token: token(), oauth_token_secret: token() };
      tokens.set(values.oauth_token, { secret: values.oauth_token_secret, account: provider.account });
      form(response, values);
    } else {
      send(response, 200, { user: { name: tokens.get(given)?.account } });
    }
  });
  const provider: OAuth1TestProvider = {
    url: server.url,
    settings: {
      requestTokenEndpoint: `${server.url}/request`,
      authorizationEndpoint: `${server.url}/authorize`,
      accessTokenEndpoint: `${server.url}/access`,
      accessTokenMethod: "POST",
      consumerKey: new Secret(CONSUMER_KEY),
      consumerSecret: new Secret(CONSUMER_SECRET),
      parameters: {},
    },
    counts: new Map(),
    secrets: new Set([CONSUMER_SECRET]),
    faults: new Map(),
    account: "ada",
    forget: () => tokens.clear(),
    close: server.close,
  };
  return provider;
}

function protocolOf(header: string): Map<string, string> {
  const items = [...header.matchAll(/(\w+)="([^"]*)"/g)];
  return new Map(items.map(([, name = "", value = ""]) => [name, decodeURIComponent(value)]));
}

function signature(
  address: string,
  { method, query, form }: ProviderRequest,
  protocol: ReadonlyMap<string, string>,
  key: string,
): string {
  const signed = [...protocol].filter(([name]) => name !== "oauth_signature");
  const parameters = [...query, ...form, ...signed].map((pair) => pair.map(encode).join("=")).sort();
  const base = [method, address, parameters.join("&")].map(encode).join("&");
  return createHmac("sha1", key).update(base).digest("base64");
}

function encode(text: string): string {
  const byte = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, byte);
}

/** Sends JSON. */
export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function listen(
  serve: (path: string, request: ProviderRequest, response: ServerResponse) => unknown,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? "", "http://provider.invalid");
    let body = "";
    for await (const chunk of incoming) body += String(chunk);
    const { method = "", headers } = incoming;
    serve(
      url.pathname,
      { method, query: url.searchParams, form: new URLSearchParams(body), headers },
      response,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
