import { expect } from "vitest";
import { answers, type Case, fails, rejects } from "../case.ts";
import type { BlogWorld } from "../world.ts";

/** Returns the query parameters of the address to which a page of the service redirects. */
async function followed(url: string): Promise<URLSearchParams> {
  const answer = await fetch(url, {
    redirect: "manual",
    headers: { "user-agent": "browser", connection: "close" },
  });
  const location = answer.headers.get("location") ?? "";
  return new URL(location.replace(/#.*$/, "")).searchParams;
}

const agree = ({ sandbox }: BlogWorld) => Object.assign(sandbox.rules, { authorizeAs: "demo" });
const client = ({ sandbox: { credentials: known } }: BlogWorld) => ({
  clientId: known.consumerKey,
  clientSecret: known.consumerSecret,
});
/** The client's own OAuth 1.0a credentials, without a token. */
const asClient = (world: BlogWorld) => {
  const { consumerKey, consumerSecret } = world.sandbox.credentials;
  world.credentials = { oauth1: { consumerKey, consumerSecret } };
};

async function code(world: BlogWorld, scope: string, more: Record<string, string> = {}): Promise<string> {
  agree(world);
  const { sandbox } = world;
  const query = {
    client_id: sandbox.credentials.consumerKey,
    response_type: "code",
    scope,
    state: "s1",
    ...more,
  };
  const back = await followed(`${sandbox.url}/oauth2/authorize?${new URLSearchParams(query)}`);
  expect(back.get("state")).toBe("s1");
  return back.get("code") ?? "";
}

const REQUEST = "POST {web_url}/oauth/request_token";
const ACCESS = "GET {web_url}/oauth/access_token";
const TOKEN = "POST {base_url}/v2/oauth2/token, authorization code";
const REFRESH = "POST {base_url}/v2/oauth2/token, refresh";
const APPLICATION = "POST {base_url}/v2/oauth2/token, client credentials";
const EXCHANGE = "POST {base_url}/v2/oauth2/exchange";
const bearer = { tokenType: "bearer", expiresIn: 2520, accessToken: expect.stringMatching(/./), idToken: "" };

/** The OAuth endpoints that are HTTP APIs. */
export const OAUTH_CASES: readonly Case[] = [
  answers(
    REQUEST,
    "temporary credentials",
    ({ oauth }) => oauth.createRequestToken({ callback: "oob" }),
    {
      oauthToken: expect.stringMatching(/./),
      oauthTokenSecret: expect.stringMatching(/./),
      oauthCallbackConfirmed: true,
    },
    { prepare: asClient },
  ),
  fails(REQUEST, "a client that is not known", ({ oauth }) => oauth.createRequestToken({}), {
    prepare: (world) => {
      world.credentials = { oauth1: { consumerKey: "unknown", consumerSecret: "unknown" } };
    },
  }),
  fails(REQUEST, "a wrong secret", ({ oauth }) => oauth.createRequestToken({}), {
    prepare: (world) => {
      world.credentials = {
        oauth1: { consumerKey: world.sandbox.credentials.consumerKey, consumerSecret: "wrong" },
      };
    },
  }),
  fails(
    REQUEST,
    "a callback that is no address",
    ({ oauth }) => oauth.createRequestToken({ callback: "nowhere" }),
    { prepare: asClient },
  ),
  fails(REQUEST, "no credentials", ({ oauth }) => oauth.createRequestToken({}), { as: "nobody" }),

  answers(
    ACCESS,
    "the whole of OAuth 1.0a",
    async ({ oauth, blogs }, world) => {
      agree(world);
      const temporary = await oauth.createRequestToken({});
      const query = new URLSearchParams({ oauth_token: temporary.oauthToken, source: "here" });
      const back = await followed(`${world.sandbox.url}/oauth/authorize?${query}`);
      expect(back.get("source")).toBe("here");
      const { oauthToken, oauthTokenSecret } = temporary;
      const token = await oauth.createAccessToken({
        oauthToken,
        oauthTokenSecret,
        oauthVerifier: back.get("oauth_verifier") ?? "",
      });
      const { consumerKey, consumerSecret } = world.sandbox.credentials;
      world.credentials = {
        oauth1: { consumerKey, consumerSecret, token: token.oauthToken, tokenSecret: token.oauthTokenSecret },
      };
      return blogs.listBlocks({ blogIdentifier: "demo" });
    },
    { blockedBlogs: [{ name: "grace" }] },
    { prepare: asClient },
  ),
  fails(
    ACCESS,
    "a token that nobody has given",
    ({ oauth }) => oauth.createAccessToken({ oauthToken: "x", oauthTokenSecret: "y", oauthVerifier: "z" }),
    { prepare: asClient },
  ),
  fails(
    ACCESS,
    "a verifier that does not fit",
    async ({ oauth }) => {
      const { oauthToken, oauthTokenSecret } = await oauth.createRequestToken({});
      return oauth.createAccessToken({ oauthToken, oauthTokenSecret, oauthVerifier: "z" });
    },
    { prepare: asClient },
  ),
  rejects(
    ACCESS,
    "no token",
    ({ oauth }) => oauth.createAccessToken({ oauthTokenSecret: "y", oauthVerifier: "z" }),
    { prepare: asClient },
  ),
  rejects(
    ACCESS,
    "no verifier",
    ({ oauth }) => oauth.createAccessToken({ oauthToken: "x", oauthTokenSecret: "y" }),
    { prepare: asClient },
  ),

  answers(
    TOKEN,
    "a code, and the token is good",
    async ({ oauth, blogs }, world) => {
      const grant = {
        case: "authorizationCode",
        value: { code: await code(world, "basic write offline_access") },
      } as const;
      const token = await oauth.createToken({ ...client(world), grant });
      expect(token).toMatchObject({
        ...bearer,
        scope: "basic write offline_access",
        refreshToken: expect.stringMatching(/./),
      });
      world.credentials = { oauth2: { accessToken: token.accessToken } };
      return blogs.listBlocks({ blogIdentifier: "demo" });
    },
    { blockedBlogs: [{ name: "grace" }] },
  ),
  answers(
    TOKEN,
    "a code with its address",
    async ({ oauth }, world) => {
      const redirectUri = world.sandbox.credentials.callback;
      const value = {
        code: await code(world, "basic", { redirect_uri: redirectUri, force_login: "true" }),
        redirectUri,
      };
      return oauth.createToken({ ...client(world), grant: { case: "authorizationCode", value } });
    },
    { ...bearer, scope: "basic", refreshToken: "" },
  ),
  fails(TOKEN, "a code that was used", async ({ oauth }, world) => {
    const grant = { case: "authorizationCode", value: { code: await code(world, "basic") } } as const;
    await oauth.createToken({ ...client(world), grant });
    return oauth.createToken({ ...client(world), grant });
  }),
  fails(TOKEN, "a code without its address", async ({ oauth }, world) => {
    const value = { code: await code(world, "basic", { redirect_uri: world.sandbox.credentials.callback }) };
    return oauth.createToken({ ...client(world), grant: { case: "authorizationCode", value } });
  }),
  fails(TOKEN, "a wrong secret", ({ oauth }, world) =>
    oauth.createToken({
      ...client(world),
      clientSecret: "another-secret",
      grant: { case: "authorizationCode", value: { code: "x" } },
    }),
  ),
  rejects(TOKEN, "no grant", ({ oauth }, world) => oauth.createToken(client(world))),
  rejects(TOKEN, "no code", ({ oauth }, world) =>
    oauth.createToken({ ...client(world), grant: { case: "authorizationCode", value: {} } }),
  ),
  rejects(TOKEN, "no client_id", ({ oauth }) =>
    oauth.createToken({ clientSecret: "x", grant: { case: "authorizationCode", value: { code: "x" } } }),
  ),
  rejects(TOKEN, "no client_secret", ({ oauth }) =>
    oauth.createToken({ clientId: "x", grant: { case: "authorizationCode", value: { code: "x" } } }),
  ),

  answers(
    APPLICATION,
    "a token of the application",
    ({ oauth }, world) =>
      oauth.createToken({
        ...client(world),
        grant: { case: "clientCredentials", value: { scope: "basic" } },
      }),
    { ...bearer, scope: "basic", refreshToken: "" },
  ),
  fails(APPLICATION, "a scope that is not there", ({ oauth }, world) =>
    oauth.createToken({
      ...client(world),
      grant: { case: "clientCredentials", value: { scope: "everything" } },
    }),
  ),

  answers(
    REFRESH,
    "another token",
    ({ oauth }, world) =>
      oauth.refreshToken({ ...client(world), refreshToken: world.sandbox.credentials.refreshToken }),
    { ...bearer, refreshToken: expect.stringMatching(/./) },
  ),
  fails(
    REFRESH,
    "a refresh token that was used",
    async ({ oauth }, world) => {
      const request = { ...client(world), refreshToken: world.sandbox.credentials.refreshToken };
      await oauth.refreshToken(request);
      return oauth.refreshToken(request);
    },
    { as: "nobody" },
  ),
  fails(REFRESH, "a wrong secret", ({ oauth }, world) =>
    oauth.refreshToken({ ...client(world), clientSecret: "another-secret", refreshToken: "x" }),
  ),
  rejects(REFRESH, "no refresh token", ({ oauth }, world) => oauth.refreshToken(client(world))),
  rejects(REFRESH, "no client_id", ({ oauth }) =>
    oauth.refreshToken({ clientSecret: "x", refreshToken: "x" }),
  ),
  rejects(REFRESH, "no client_secret", ({ oauth }) =>
    oauth.refreshToken({ clientId: "x", refreshToken: "x" }),
  ),

  answers(
    EXCHANGE,
    "an OAuth 1.0a token",
    ({ oauth }) => oauth.exchangeToken({}),
    {
      ...bearer,
      scope: "basic write",
      refreshToken: expect.stringMatching(/./),
    },
    { as: "signed" },
  ),
  fails(
    EXCHANGE,
    "the OAuth 1.0a token afterwards",
    async ({ oauth, blogs }) => {
      await oauth.exchangeToken({});
      return blogs.listBlocks({ blogIdentifier: "demo" });
    },
    { as: "signed" },
  ),
  fails(EXCHANGE, "a signature that is rejected", ({ oauth }) => oauth.exchangeToken({}), {
    as: "signed-rejected",
  }),
  fails(EXCHANGE, "a request that is not OAuth 1.0a", ({ oauth }) => oauth.exchangeToken({}), {
    as: "signed",
    prepare: ({ sandbox }) =>
      sandbox.next({
        status: 400,
        body: {
          meta: { status: 400, msg: "Bad Request" },
          response: [],
          errors: [{ title: "Bad Request", code: 0 }],
        },
      }),
  }),
];
