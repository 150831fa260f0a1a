import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { CREDENTIALS } from "../seed/credentials.ts";
import { ask, type Got, KEY, multipart, signed } from "../testing/client.ts";

let sandbox: Sandbox;
let url: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  url = sandbox.url;
});
beforeEach(() => {
  sandbox.clearRates();
  sandbox.rules.authorizeAs = undefined;
  sandbox.clock.reset();
});
afterAll(() => sandbox.close());

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const pairs = (got: Got) => Object.fromEntries(new URLSearchParams(got.text));
const post = (path: string, values: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(url + path, {
    method: "POST",
    headers: { ...FORM, ...headers },
    body: new URLSearchParams(values).toString(),
  });

async function temporary(callback = "http://127.0.0.1:9/back?keep=1"): Promise<Record<string, string>> {
  const at = `${url}/oauth/request_token`;
  const headers = signed(at, { method: "POST", token: "", extra: { oauth_callback: callback } });
  const got = await ask(at, { method: "POST", headers });
  expect([got.status, got.headers["content-type"]]).toEqual([200, "application/x-www-form-urlencoded"]);
  return pairs(got) as Record<string, string>;
}

test("the OAuth 1.0a flow works from the request token to the first call", async () => {
  const { oauth_token = "", oauth_token_secret = "", oauth_callback_confirmed } = await temporary();
  expect(oauth_callback_confirmed).toBe("true");
  const page = await ask(`${url}/oauth/authorize?oauth_token=${oauth_token}&source=menu`);
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(page.text).toContain('name="password"');
  const wrong = await post("/oauth/authorize", {
    oauth_token,
    decision: "allow",
    user: "ada",
    password: "x",
  });
  expect(wrong.status).toBe(401);
  const form = { oauth_token, source: "menu", decision: "allow", user: "ada", password: "ada-password" };
  const allowed = await post("/oauth/authorize", form);
  expect(allowed.status).toBe(302);
  const location = String(allowed.headers.location);
  expect(location).toMatch(
    /^http:\/\/127\.0\.0\.1:9\/back\?keep=1&oauth_token=\w+&oauth_verifier=\w+&source=menu#_=_$/,
  );
  const verifier = new URL(location).searchParams.get("oauth_verifier") ?? "";
  const at = `${url}/oauth/access_token`;
  const bad = await ask(at, {
    headers: signed(at, {
      token: oauth_token,
      tokenSecret: oauth_token_secret,
      extra: { oauth_verifier: "x" },
    }),
  });
  expect([bad.status, bad.headers["content-type"]]).toEqual([401, "text/plain; charset=utf-8"]);
  const query = `${at}?oauth_verifier=${verifier}`;
  const got = await ask(query, {
    headers: signed(query, { token: oauth_token, tokenSecret: oauth_token_secret }),
  });
  expect(got.status).toBe(200);
  const token = pairs(got);
  const info = `${url}/v2/blog/ada/info`;
  const headers = signed(info, {
    token: token.oauth_token ?? "",
    tokenSecret: token.oauth_token_secret ?? "",
  });
  expect((await ask(info, { headers })).json.response.blog.primary).toBe(true);
  const twice = await ask(query, {
    headers: signed(query, { token: oauth_token, tokenSecret: oauth_token_secret }),
  });
  expect(twice.status).toBe(401);
});

test("the callback may be in the signed query, in a signed form body, or registered, and GET is allowed", async () => {
  const at = `${url}/oauth/request_token`;
  const query = `${at}?oauth_callback=http%3A%2F%2Fx.example%2Fa`;
  expect((await ask(query, { headers: signed(query, { token: "" }) })).status).toBe(200);
  const form = "oauth_callback=http%3A%2F%2Fx.example%2Fa";
  const headers = { ...FORM, ...signed(at, { method: "POST", token: "", form }) };
  expect((await ask(at, { method: "POST", headers, body: form })).status).toBe(200);
  expect((await ask(at, { method: "POST", headers: signed(at, { method: "POST", token: "" }) })).status).toBe(
    200,
  );
});

test("if the user declines, the page redirects to the callback without parameters", async () => {
  const { oauth_token = "" } = await temporary();
  const denied = await post("/oauth/authorize", { oauth_token, decision: "deny" });
  expect(denied.headers.location).toBe("http://127.0.0.1:9/back?keep=1");
});

test("temporary credentials expire after ten minutes, and unsigned and unknown requests get one line of text", async () => {
  const { oauth_token = "" } = await temporary();
  sandbox.clock.advance(601_000);
  expect((await ask(`${url}/oauth/authorize?oauth_token=${oauth_token}`)).status).toBe(401);
  const unsigned = await ask(`${url}/oauth/request_token`, { method: "POST" });
  expect([unsigned.status, unsigned.text]).toEqual([400, "The request is not signed\n"]);
  const at = `${url}/oauth/request_token`;
  sandbox.clock.reset();
  expect((await ask(at, { headers: signed(at, { token: "", consumerKey: "x" }) })).status).toBe(401);
  const plain = signed(at, { token: "" }).authorization.replace("HMAC-SHA1", "PLAINTEXT");
  expect((await ask(at, { headers: { authorization: plain } })).status).toBe(400);
});

const client = { client_id: CREDENTIALS.consumerKey, client_secret: CREDENTIALS.consumerSecret };
const asking = {
  client_id: CREDENTIALS.consumerKey,
  response_type: "code",
  scope: "basic write offline_access",
  state: "s1",
};
const authorize = (values: Record<string, string>) =>
  ask(`${url}/oauth2/authorize?${new URLSearchParams(values)}`);
const codeFrom = (got: Got) => new URL(String(got.headers.location)).searchParams.get("code") ?? "";

test("the OAuth 2.0 flow works from the page to the refreshed tokens", async () => {
  const page = await authorize({ ...asking, force_login: "true" });
  expect(page.text).toContain('name="password"');
  expect(String(page.headers["set-cookie"])).toContain("Max-Age=0");
  const form = { ...asking, decision: "allow", user: "demo", password: "demo-password" };
  const allowed = await post("/oauth2/authorize", form);
  expect(String(allowed.headers.location)).toMatch(
    /^http:\/\/127\.0\.0\.1:8080\/callback\?code=\w+&state=s1$/,
  );
  const cookie = String(allowed.headers["set-cookie"]).split(";")[0] ?? "";
  const again = await ask(`${url}/oauth2/authorize?${new URLSearchParams(asking)}`, { headers: { cookie } });
  expect(again.text).toContain("Logged in as demo");
  const grant = { grant_type: "authorization_code", code: codeFrom(allowed), ...client };
  const got = await post("/v2/oauth2/token", grant);
  expect(got.status).toBe(200);
  expect(got.json).toEqual({
    access_token: expect.any(String),
    expires_in: 2520,
    id_token: false,
    refresh_token: expect.any(String),
    scope: "basic write offline_access",
    token_type: "bearer",
  });
  const used = await post("/v2/oauth2/token", grant);
  expect([used.status, used.json.error]).toEqual([401, "invalid_grant"]);
  const info = (token: string) =>
    ask(`${url}/v2/blog/demo/info`, { headers: { authorization: `Bearer ${token}` } });
  expect((await info(got.json.access_token)).status).toBe(200);
  const refresh = { grant_type: "refresh_token", refresh_token: got.json.refresh_token, ...client };
  const renewed = await post("/v2/oauth2/token", refresh);
  expect(renewed.json.refresh_token).not.toBe(got.json.refresh_token);
  expect((await post("/v2/oauth2/token", refresh)).status).toBe(401);
  expect((await info(got.json.access_token)).status).toBe(401);
  sandbox.clock.advance(30 * 86_400_000 + 1000);
  expect(
    (await post("/v2/oauth2/token", { ...refresh, refresh_token: renewed.json.refresh_token })).status,
  ).toBe(401);
  sandbox.clock.reset();
  sandbox.clock.advance(2_521_000);
  expect((await info(renewed.json.access_token)).status).toBe(401);
});

test("a code lasts 60 seconds, is bound to its redirect_uri, and yields a refresh token only with offline_access", async () => {
  sandbox.rules.authorizeAs = "demo";
  const grant = { grant_type: "authorization_code", ...client };
  const late = codeFrom(await authorize(asking));
  sandbox.clock.advance(61_000);
  expect((await post("/v2/oauth2/token", { ...grant, code: late })).status).toBe(401);
  sandbox.clock.reset();
  const sent = { ...asking, redirect_uri: CREDENTIALS.callback, scope: "basic" };
  expect((await post("/v2/oauth2/token", { ...grant, code: codeFrom(await authorize(sent)) })).status).toBe(
    401,
  );
  const code = codeFrom(await authorize(sent));
  const got = await post("/v2/oauth2/token", { ...grant, code, redirect_uri: CREDENTIALS.callback });
  expect(got.json.scope).toBe("basic");
  expect(got.json).not.toHaveProperty("refresh_token");
});

test("an authorization error is shown if the redirect address is invalid; otherwise, it is sent to that address", async () => {
  expect((await authorize({ ...asking, client_id: "x" })).status).toBe(400);
  expect((await authorize({ ...asking, redirect_uri: "https://evil.example/" })).status).toBe(400);
  const two = "otherConsumerKey000000000000000000000000000000001";
  expect((await authorize({ ...asking, client_id: two })).status).toBe(400);
  const kept = await authorize({
    ...asking,
    client_id: two,
    redirect_uri: "https://other.example/second?keep=1",
    scope: "x",
  });
  expect(String(kept.headers.location)).toMatch(
    /^https:\/\/other\.example\/second\?keep=1&error=invalid_scope&.*&state=s1$/,
  );
  expect(String((await authorize({ ...asking, response_type: "token" })).headers.location)).toContain(
    "error=unsupported_response_type",
  );
  expect(String((await authorize({ ...asking, state: "" })).headers.location)).toContain(
    "error=invalid_request",
  );
  const denied = await post("/oauth2/authorize", { ...asking, decision: "deny" });
  expect(String(denied.headers.location)).toContain("error=access_denied");
});

test("token endpoints return 401 for an invalid client, code or refresh token, and 400 for missing or unknown parameters", async () => {
  const cases: [Record<string, string>, number, string][] = [
    [{ grant_type: "client_credentials", client_id: "x", client_secret: "y" }, 401, "invalid_client"],
    [{ grant_type: "client_credentials", ...client, client_secret: "y" }, 401, "invalid_client"],
    [{ grant_type: "authorization_code", code: "x", ...client }, 401, "invalid_grant"],
    [{ grant_type: "refresh_token", refresh_token: "x", ...client }, 401, "invalid_grant"],
    [{ grant_type: "refresh_token", ...client }, 400, "invalid_request"],
    [{ grant_type: "password", ...client }, 400, "unsupported_grant_type"],
    [client, 400, "invalid_request"],
  ];
  for (const [body, status, error] of cases) {
    const got = await post("/v2/oauth2/token", body);
    expect([got.status, got.json.error]).toEqual([status, error]);
    expect(got.json).not.toHaveProperty("meta");
  }
});

test("client credentials are accepted as form, JSON, multipart and Basic, and yield no refresh token and no user", async () => {
  const at = `${url}/v2/oauth2/token`;
  const grant = { grant_type: "client_credentials", ...client };
  const parts = multipart(Object.entries(grant).map(([name, value]) => ({ name, value })));
  const basic = {
    authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString("base64")}`,
  };
  const responses = [
    await post("/v2/oauth2/token", grant),
    await ask(at, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(grant),
    }),
    await ask(at, { method: "POST", headers: parts.headers, body: parts.body }),
    await post("/v2/oauth2/token", { grant_type: "client_credentials" }, basic),
  ];
  for (const got of responses) {
    expect(got.status).toBe(200);
    expect(got.json.scope).toBe("basic");
    expect(got.json).not.toHaveProperty("refresh_token");
    const headers = { authorization: `Bearer ${got.json.access_token}` };
    expect((await ask(`${url}/v2/blog/demo/info`, { headers })).status).toBe(200);
    expect((await ask(`${url}/v2/blog/demo/followers`, { headers })).status).toBe(403);
  }
});

test("exchange returns tokens for a signed request, and invalidates the OAuth 1.0a token", async () => {
  const at = `${url}/v2/oauth2/exchange`;
  const options = { token: CREDENTIALS.otherOauth1Token, tokenSecret: CREDENTIALS.otherOauth1TokenSecret };
  const bearer = await ask(at, {
    method: "POST",
    headers: { authorization: `Bearer ${CREDENTIALS.userToken}` },
  });
  expect([bearer.status, bearer.json.meta.status]).toEqual([400, 400]);
  expect((await ask(at, { method: "POST" })).status).toBe(400);
  const broken = signed(at, { ...options, method: "POST", tokenSecret: "x" });
  expect((await ask(at, { method: "POST", headers: broken })).status).toBe(401);
  const got = await ask(at, { method: "POST", headers: signed(at, { ...options, method: "POST" }) });
  expect(got.json).toMatchObject({
    scope: "basic write",
    refresh_token: expect.any(String),
    token_type: "bearer",
  });
  const info = `${url}/v2/blog/ada/info`;
  expect((await ask(info, { headers: signed(info, options) })).status).toBe(401);
  expect((await ask(info, { headers: { authorization: `Bearer ${got.json.access_token}` } })).status).toBe(
    200,
  );
  expect((await ask(`${info}?${KEY}`)).status).toBe(200);
});
