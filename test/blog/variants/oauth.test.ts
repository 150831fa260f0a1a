import type { Client } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { OAuthService } from "../../../gen/oauth/v1/oauth_pb.ts";
import { OAuthServiceRest } from "../../../gen/oauth/v1/oauth_rest.ts";
import { failureOf } from "../../end-to-end/failure.ts";
import { type Answer, start } from "../../rules/world.ts";
import { readVariants, type Variant } from "./variant.ts";

type Api = Client<typeof OAuthService>;
type Read = Variant<typeof OAuthService>;

const CLIENT = { clientId: "id", clientSecret: "secret" };
const create = (api: Api) =>
  api.createToken({ ...CLIENT, grant: { case: "authorizationCode", value: { code: "c" } } });
const refresh = (api: Api) => api.refreshToken({ ...CLIENT, refreshToken: "r" });
const exchange = (api: Api) => api.exchangeToken({});
const access = (api: Api) =>
  api.createAccessToken({ oauthToken: "t", oauthTokenSecret: "s", oauthVerifier: "v" });
const request = (api: Api) => api.createRequestToken({});

const token = { access_token: "a", expires_in: 2520, token_type: "bearer", scope: "basic" };
const read = { accessToken: "a", expiresIn: 2520, tokenType: "bearer", scope: "basic" };

const JSON_TOKENS: readonly Read[] = [
  ["no ID token", create, { json: { ...token, id_token: false } }, read],
  ["an ID token", create, { json: { ...token, id_token: "jwt" } }, { ...read, idToken: "jwt" }],
  [
    "seconds as text, and another way to write bearer",
    create,
    { json: { ...token, expires_in: "2520", token_type: "Bearer" } },
    { ...read, tokenType: "Bearer" },
  ],
  ["unknown keys", create, { json: { ...token, api_server: "x" } }, read],
  [
    "a new refresh token",
    refresh,
    { json: { ...token, refresh_token: "r2" } },
    { ...read, refreshToken: "r2" },
  ],
];

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const pair = { oauthToken: "t", oauthTokenSecret: "s" };

/** Methods whose requests are signed with explicit credentials. */
const FORM_TOKENS: ReadonlyArray<readonly [string, (api: Api) => Promise<unknown>, Answer, object]> = [
  [
    "as in the reference",
    request,
    { body: "oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true", headers: FORM },
    { ...pair, oauthCallbackConfirmed: true },
  ],
  [
    "in another order, without the confirmation",
    request,
    { body: "oauth_token_secret=s&oauth_token=t", headers: FORM },
    pair,
  ],
  [
    "with encoded characters and additional keys",
    request,
    {
      body: "oauth_token=a%2Bb+c&oauth_token_secret=%C3%A9&x=1",
      headers: { "Content-Type": `${FORM["content-type"]}; charset=utf-8` },
    },
    { oauthToken: "a+b c", oauthTokenSecret: "é" },
  ],
  [
    "declared as HTML",
    request,
    { body: "oauth_token=t&oauth_token_secret=s", headers: { "content-type": "text/html" } },
    pair,
  ],
  [
    "without a Content-Type, with a line break at the end",
    access,
    { body: "oauth_token=t&oauth_token_secret=s\n" },
    { oauthToken: "t" },
  ],
];

readVariants(OAuthService, OAuthServiceRest, JSON_TOKENS);

const signed = (answer: Answer, tokens: object = {}) =>
  start(OAuthService, OAuthServiceRest, answer, {
    upstream: {
      credentials: () => ({ oauth1: { consumerKey: "k", consumerSecret: "s", ...tokens } }),
      retry: false,
      breaker: false,
    },
  });

test.each(FORM_TOKENS)("OAuth 1.0a tokens are read: %s", async (_, call, answer, expected) => {
  const { client } = await signed(answer);
  expect(await call(client)).toMatchObject(expected);
});

const ENVELOPE = {
  meta: { status: 401, msg: "Unauthorized" },
  response: [],
  errors: [{ title: "Unauthorized", code: 1016, detail: "Unable to authorize" }],
};

describe.each([
  ["CreateToken", create],
  ["RefreshToken", refresh],
  ["ExchangeToken", exchange],
  ["CreateAccessToken", access],
  ["CreateRequestToken", request],
] as const)("%s reads an error", (_, call) => {
  const tokens = { token: "t", tokenSecret: "s" };

  test.each([
    ["in OAuth format", { json: { error: "invalid_grant", error_description: "Gone" } }, "Gone"],
    ["in OAuth format, without a description", { json: { error: "invalid_grant" } }, "invalid_grant"],
    ["in the envelope", { json: ENVELOPE }, "Unable to authorize"],
    [
      "as a line of text",
      { body: "Invalid signature\n", headers: { "content-type": "text/plain" } },
      "401 Unauthorized: Invalid signature",
    ],
    ["without a body", { body: "" }, "401 Unauthorized"],
  ] as const)("%s", async (_, answer, text) => {
    const { client } = await signed({ status: 401, ...answer }, call === exchange ? tokens : {});
    const failure = await failureOf(call(client));
    expect([failure.code, failure.text.includes(text)]).toEqual(["Unauthenticated", true]);
  });
});

/**
 * Calls with rejected credentials while the application's credentials are configured, each with the
 * credentials' owner.
 */
const REFUSALS: ReadonlyArray<readonly [string, (api: Api) => Promise<unknown>, string, boolean]> = [
  ["the code of CreateToken is the caller's", create, "Unauthenticated", true],
  ["the refresh token of RefreshToken is the caller's", refresh, "Unauthenticated", true],
  ["the temporary token of CreateAccessToken is the caller's", access, "Unauthenticated", true],
  ["the signature of CreateRequestToken is the application's", request, "Internal", false],
  ["the token of ExchangeToken is the configured one", exchange, "Internal", false],
];

test.each(REFUSALS)(
  "with configured credentials, the code for a 401 depends on whose credentials were rejected: %s",
  async (_, call, code, isToldWhy) => {
    const body = "Unknown or expired oauth_token\n";
    const answer = { status: 401, body, headers: { "content-type": "text/plain" } };
    const oauth1 = { consumerKey: "k", consumerSecret: "s", token: "t0", tokenSecret: "ts0" };
    const credentials = { oauth1, oauth2: { accessToken: "a0" } };
    const { client } = await start(OAuthService, OAuthServiceRest, answer, { upstream: { credentials } });
    const failure = await failureOf(call(client));
    expect([failure.code, failure.text.includes("expired oauth_token")]).toEqual([code, isToldWhy]);
  },
);
