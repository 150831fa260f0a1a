import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { isRedirectHost, isRedirectUri } from "../../runtime/src/text/redirect-uri.ts";
import { type AuthorizedGateway, PUBLIC_URL, startAuthorized } from "../support/authorized-gateway.ts";
import { OAuthSteps, REDIRECT_URI } from "../support/oauth-steps.ts";

let served: AuthorizedGateway;
let steps: OAuthSteps;
let shift = 0;
const now = () => Date.now() + shift;
const store = new SqliteStore({ file: ":memory:", now });

beforeAll(async () => {
  served = await startAuthorized({ store, now });
  steps = new OAuthSteps(served);
});
afterAll(() => served.close());

const GOOD = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };

test("a public client gets an ID but no secret, and the response contains the registered metadata", async () => {
  const { status, body, headers } = await steps.register({ ...GOOD, client_name: "Ünï", unknown: { a: 1 } });
  expect(status).toBe(201);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(body).toEqual({
    client_id: expect.any(String),
    client_id_issued_at: expect.any(Number),
    client_name: "Ünï",
    grant_types: ["authorization_code"],
    redirect_uris: [REDIRECT_URI],
    response_types: ["code"],
    scope: "echo talk",
    token_endpoint_auth_method: "none",
  });
});

test.each([undefined, "client_secret_basic", "client_secret_post"])(
  "a confidential client (%s) gets a secret that does not expire",
  async (method) => {
    const metadata = {
      redirect_uris: [REDIRECT_URI],
      grant_types: ["client_credentials", "authorization_code"],
    };
    const { body } = await steps.register({ ...metadata, token_endpoint_auth_method: method });
    expect(body.client_secret).toMatch(/^[\w-]{43,}$/);
    expect(body.client_secret_expires_at).toBe(0);
    expect(body.token_endpoint_auth_method).toBe(method ?? "client_secret_basic");
    const form = { grant_type: "client_credentials", client_id: String(body.client_id) };
    expect((await steps.token({ ...form, client_secret: String(body.client_secret) })).status).toBe(200);
  },
);

test("a secret cannot be obtained from its stored form, and the stored form does not authenticate", async () => {
  const { body } = await steps.register({
    redirect_uris: [REDIRECT_URI],
    grant_types: ["client_credentials"],
  });
  const row = await store.get("Client", String(body.client_id));
  expect(row?.value).not.toContain(String(body.client_secret));
  const stored = /"client_secret":"([^"]+)"/.exec(row?.value ?? "")?.[1] ?? "";
  const form = { grant_type: "client_credentials", client_id: String(body.client_id), client_secret: stored };
  expect((await steps.token(form)).body.error).toBe("invalid_client");
});

test.each([
  ["a private address", ["http://10.0.0.1/cb"]],
  ["http", ["http://app.example/cb"]],
  ["a valid and an invalid URI", [REDIRECT_URI, "http://app.example/cb"]],
  ["a host that begins with localhost", ["http://localhost.evil.example/cb"]],
  ["a host after a user name", ["http://127.0.0.1@evil.example/cb"]],
  ["a user", ["https://me@app.example/cb"]],
  ["a fragment", ["https://app.example/cb#a"]],
  ["an empty fragment", ["https://app.example/cb#"]],
  ["a script", ["javascript:alert(1)"]],
  ["data", ["data:text/html,a"]],
  ["a custom scheme", ["com.example.app:/cb"]],
  ["no scheme", ["//app.example/cb"]],
  ["a backslash", ["https:\\\\app.example\\cb"]],
  ["a tab", ["https://app.example/\tcb"]],
  ["an empty list", []],
  ["no list", REDIRECT_URI],
  ["a number", [1]],
  ["too many", Array.from({ length: 21 }, (_, i) => `https://app.example/${i}`)],
  ["a URI that is too long", [`https://app.example/${"a".repeat(2048)}`]],
  ["a host that browsers read as another host", ["http://0x7f.1/cb"]],
  ["an IPv4 address as one number", ["http://2130706433/cb"]],
  ["a long form of the loopback address", ["http://[0:0:0:0:0:0:0:1]/cb"]],
  ["an encoded host", ["https://app%2eexample/cb"]],
  ["a host with a Cyrillic letter", ["https://\u0435xample.com/cb"]],
  ["a full-width dot in the host", ["https://evil.example\u3002com/cb"]],
  ["a wildcard", ["https://*.example/cb"]],
  ["a lone surrogate", ["https://app.example/\ud800"]],
  ["an incomplete escape", ["https://app.example/%4"]],
  ["dot segments", ["https://app.example/a/../cb"]],
  ["a response parameter in the query", ["https://app.example/cb?tenant=1&code=x"]],
  ["an error parameter in the query", ["https://app.example/cb?error=made_up"]],
  ["the server's own name with a dot", [`${PUBLIC_URL}./cb`]],
  ["the server's own name and port", [`${PUBLIC_URL.toUpperCase().replace("HTTPS", "https")}:443/cb`]],
  ["one of the server's own addresses", [`${PUBLIC_URL}/authorize/i/${"a".repeat(43)}`]],
])("redirect URIs with %s are rejected", async (_, uris) => {
  const answer = await steps.register({ ...GOOD, redirect_uris: uris });
  expect(answer).toMatchObject({ status: 400, body: { error: "invalid_redirect_uri" } });
});

test("the error for a redirect URI that is too long states the limit", async () => {
  const uri = `https://app.example/${"a".repeat(2048)}`;
  const { body } = await steps.register({ ...GOOD, redirect_uris: [uri] });
  expect(body.error_description).toBe("redirect_uris may have 2048 characters each");
});

test("property: hosts in redirect URIs are case-insensitive", () => {
  const letters = fc.stringMatching(/^[a-zA-Z]{1,8}$/);
  fc.assert(
    fc.property(letters, letters, fc.constantFrom("", "*."), (name, domain, wildcard) => {
      const host = `${domain}.example`;
      expect(isRedirectHost(`https://${wildcard && `${name}.`}${host}/`, [wildcard + host])).toBe(true);
      expect(isRedirectHost(`https://${name}-${host}/`, [wildcard + host])).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test("property: a redirect URI leads only to https or to a loopback address", () => {
  const part = fc.constantFrom(
    "http",
    "https",
    "javascript",
    ":",
    "//",
    "localhost",
    "127.0.0.1",
    "[::1]",
    "@",
    "evil.example",
    "\\",
    "#",
    "?",
    "/",
    "\t",
    "\n",
    " ",
    "%",
    ".",
    ":80",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      if (!isRedirectUri(text)) return;
      const url = new URL(text);
      expect(url.username + url.password + url.hash).toBe("");
      expect(url.protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)).toBe(
        true,
      );
      expect(text).not.toMatch(/[@\\#\s]/);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ["the URL of a key set", { jwks_uri: "http://169.254.169.254/" }],
  ["a sector identifier URI", { sector_identifier_uri: "https://10.0.0.1/" }],
  ["request object URIs", { request_uris: ["https://10.0.0.1/"] }],
  ["a URI that starts sign-in", { initiate_login_uri: "https://10.0.0.1/" }],
  ["unsupported grant types", { grant_types: ["password"] }],
  ["only the refresh grant", { grant_types: ["refresh_token"] }],
  ["grant types that are not a list", { grant_types: "authorization_code" }],
  ["client credentials without authentication", { grant_types: ["client_credentials"] }],
  ["an unknown authentication method", { token_endpoint_auth_method: "client_secret_jwt" }],
  ["key authentication but no keys", { token_endpoint_auth_method: "private_key_jwt" }],
  [
    "a private key",
    {
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [{ kty: "EC", crv: "P-256", x: "a", y: "b", d: "c" }] },
    },
  ],
  [
    "a symmetric key",
    { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [{ kty: "oct", k: "a" }] } },
  ],
  ["a name that is a number", { client_name: 1 }],
  ["a name that is too long", { client_name: "a".repeat(2049) }],
  ["a page with a script URL", { client_uri: "javascript:alert(1)" }],
  ["scopes that are a list", { scope: ["echo"] }],
])("a client with %s is rejected", async (_, changes) => {
  const answer = await steps.register({ ...GOOD, ...changes });
  expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client_metadata" } });
});

test("a registration with a software statement gets unapproved_software_statement", async () => {
  const { body } = await steps.register({ ...GOOD, software_statement: "a.b.c" });
  expect(body.error).toBe("unapproved_software_statement");
});

test.each(["[]", '"a"', "null", "{", "", `{"redirect_uris":${"[".repeat(10_000)}`])(
  "a registration that is %.10s is rejected",
  async (text) => {
    const headers = { "content-type": "application/json" };
    const answer = await steps.request("/register", { method: "POST", headers, body: text });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client_metadata" } });
  },
);

test("scopes and grants that a client may not have are removed, and the response shows the remaining ones", async () => {
  const { body } = await steps.register({
    ...GOOD,
    scope: "echo profile",
    grant_types: ["authorization_code", "implicit"],
  });
  expect(body).toMatchObject({ scope: "echo", grant_types: ["authorization_code"] });
});

test("a client without a grant is deleted after a day, and a client with a grant is kept", async () => {
  const unused = String((await steps.register(GOOD)).body.client_id);
  const used = String(
    (await steps.register({ ...GOOD, grant_types: ["authorization_code", "refresh_token"] })).body.client_id,
  );
  expect((await steps.redeem(used, await steps.code(used))).status).toBe(200);
  shift += 25 * 3_600_000;
  expect(await steps.authorize(used)).toBeInstanceOf(URL);
  expect(await steps.authorize(unused)).not.toBeInstanceOf(URL);
});

test("if registration requires a token, a client without the token is rejected", async () => {
  const token = "an-initial-access-token-of-some-length";
  const registration = {
    initialAccessToken: token,
    redirectHosts: ["localhost", "*.app.example"],
    grants: ["authorization_code"],
    scopes: ["echo"],
  };
  const gateway = await startAuthorized({ registration });
  const own = new OAuthSteps(gateway);
  const withToken = { authorization: `Bearer ${token}` };
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: `Basic ${token}` }]) {
    expect(
      (await own.register({ ...GOOD, redirect_uris: ["http://localhost/"] }, headers)).status,
    ).toBeGreaterThanOrEqual(400);
  }
  expect((await own.register({ ...GOOD, redirect_uris: ["http://localhost/"] }, withToken)).body.scope).toBe(
    "echo",
  );
  expect((await own.register({ ...GOOD, redirect_uris: ["https://a.app.example/"] }, withToken)).status).toBe(
    201,
  );
  for (const uri of [
    REDIRECT_URI,
    "https://app.example/",
    "https://evil-app.example/",
    "https://app.example.evil.test/",
  ]) {
    const { body } = await own.register({ ...GOOD, redirect_uris: [uri] }, withToken);
    expect(body.error, uri).toBe("invalid_redirect_uri");
  }
  await gateway.close();
});

test("registrations are limited per client and in total, while other calls are still served", async () => {
  const gateway = await startAuthorized(
    { now: () => 0 + shift },
    { limits: { registrationsPerClient: 5, registrationsPerMinute: 12 } },
  );
  const own = new OAuthSteps(gateway);
  const from = (address: string) => own.register(GOOD, { "x-forwarded-for": address });
  const statuses = [];
  for (let i = 0; i < 1000; i += 1) statuses.push((await from("203.0.113.1")).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(995);
  const rejected = await from("203.0.113.1");
  expect(rejected.body.error).toBe("too_many_requests");
  expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await from("203.0.113.2")).status).toBe(201);
  // Addresses of the same IPv6 network count as one client.
  const network = [];
  for (let i = 0; i < 10; i += 1) network.push((await from(`2001:db8::${i}`)).status);
  expect(network.filter((status) => status === 201)).toHaveLength(5);
  await from("203.0.113.3");
  expect((await from("203.0.113.4")).status).toBe(429);
  shift += 60_000;
  expect((await from("203.0.113.1")).status).toBe(201);
  await gateway.close();
});
