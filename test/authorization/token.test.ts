import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { hashOf } from "../../runtime/src/text/hash.ts";
import { type AuthorizedGateway, PUBLIC_URL, startAuthorized } from "../support/authorized-gateway.ts";
import { OAuthSteps, REDIRECT_URI, VERIFIER } from "../support/oauth-steps.ts";

const SECRET = "a secret of thirty-two characters and more: +&%";
const ended: string[] = [];
/** Whether the sessions are alive; tests may end them. */
let isAlive = true;
let served: AuthorizedGateway;
let steps: OAuthSteps;
let clientId: string;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let shift = 0;

/**
 * Returns the gateway's time. It follows the real time, which the JWT library uses, and tests can advance it.
 */
function now(): number {
  return Date.now() + shift;
}

beforeAll(async () => {
  keys = await generateKeyPair("ES256", { extractable: true });
  const machine = { grant_types: ["client_credentials"], response_types: [], redirect_uris: [] };
  served = await startAuthorized({
    now,
    store: new SqliteStore({ file: ":memory:", now }),
    clients: [
      {
        client_id: "machine",
        client_secret: hashOf(SECRET),
        token_endpoint_auth_method: "client_secret_basic",
        ...machine,
      },
      {
        client_id: "few",
        client_secret: hashOf(SECRET),
        token_endpoint_auth_method: "client_secret_post",
        scope: "echo",
        ...machine,
      },
      {
        client_id: "keyed",
        jwks: { keys: [{ ...(await exportJWK(keys.publicKey)), kty: "EC", alg: "ES256" }] },
        token_endpoint_auth_method: "private_key_jwt",
        ...machine,
      },
    ] as never,
    signIn: {
      sessions: {
        isAlive: () => Promise.resolve(isAlive),
        end: async (session) => void ended.push(session),
      },
      interactions: {
        serve: async (_exchange, flow) => {
          await flow.finish({
            subject: "demo:ada",
            sessionId: `session of ${flow.client.id}`,
            scopes: flow.scopes,
          });
          return undefined;
        },
      },
    },
  });
  steps = new OAuthSteps(served);
});
beforeEach(async () => {
  clientId = await steps.publicClient();
  ended.length = 0;
});
afterAll(() => served.close());

function basic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
}

const MACHINE = { grant_type: "client_credentials" };

test("a client that acts for itself authenticates by header, by body, or by a signed assertion", async () => {
  const byHeader = await steps.token(MACHINE, { authorization: basic("machine", SECRET) });
  expect(byHeader).toMatchObject({
    status: 200,
    body: { token_type: "Bearer", expires_in: 3600, scope: "echo talk" },
  });
  expect(byHeader.body.refresh_token).toBeUndefined();
  expect(byHeader.headers.get("cache-control")).toBe("no-store");
  const byBody = await steps.token({ ...MACHINE, client_id: "machine", client_secret: SECRET });
  const assertion = await sign({});
  const byKey = await steps.token({ ...MACHINE, ...assertion });
  for (const { body } of [byHeader, byBody, byKey]) {
    expect((await steps.call(body.access_token)).status).toBe(200);
  }
});

function sign(claims: object): Promise<{ client_assertion: string; client_assertion_type: string }> {
  return new SignJWT({ jti: String(Math.random()), ...claims })
    .setProtectedHeader({ alg: "ES256" })
    .setIssuer("keyed")
    .setSubject("keyed")
    .setAudience(`${PUBLIC_URL}/token`)
    .setIssuedAt()
    .setExpirationTime("1m")
    .sign(keys.privateKey)
    .then((jwt) => ({
      client_assertion: jwt,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    }));
}

test("an assertion is accepted only once, even if it arrives many times concurrently", async () => {
  const assertion = await sign({});
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => steps.token({ ...MACHINE, ...assertion })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error === "invalid_client")).toHaveLength(4);
});

test("a client that acts for itself gets the scopes that it may have, and no others", async () => {
  const few = { ...MACHINE, client_id: "few", client_secret: SECRET };
  expect((await steps.token(few)).body.scope).toBe("echo");
  expect((await steps.token({ ...few, scope: "talk" })).body.error).toBe("invalid_scope");
  expect((await steps.token({ ...few, scope: "unknown" })).body.error).toBe("invalid_scope");
});

test.each([
  [
    "a wrong secret",
    { ...MACHINE, client_id: "machine", client_secret: "wrong" },
    undefined,
    401,
    "invalid_client",
  ],
  ["no secret", { ...MACHINE, client_id: "machine" }, undefined, 401, "invalid_client"],
  [
    "the stored form of the secret",
    { ...MACHINE, client_id: "machine", client_secret: hashOf(SECRET) },
    undefined,
    401,
    "invalid_client",
  ],
  [
    "an unknown client",
    { ...MACHINE, client_id: "nobody", client_secret: SECRET },
    undefined,
    401,
    "invalid_client",
  ],
  ["a wrong secret in the header", MACHINE, basic("machine", "wrong"), 401, "invalid_client"],
  [
    "two authentication methods",
    { ...MACHINE, client_secret: SECRET },
    basic("machine", SECRET),
    400,
    "invalid_request",
  ],
  ["a malformed Basic header", MACHINE, "Basic %%%", 400, "invalid_request"],
  ["no client credentials", MACHINE, undefined, 400, "invalid_request"],
  ["no grant type", { client_id: "machine", client_secret: SECRET }, undefined, 400, "invalid_request"],
  [
    "an unknown grant type",
    { grant_type: "password", client_id: "machine", client_secret: SECRET },
    undefined,
    400,
    "unsupported_grant_type",
  ],
  [
    "a secret for a client with a key",
    { ...MACHINE, client_id: "keyed", client_secret: SECRET },
    undefined,
    401,
    "invalid_client",
  ],
] as const)("a token request with %s is rejected", async (_, form, authorization, status, error) => {
  const answer = await steps.token(form, authorization === undefined ? {} : { authorization });
  expect(answer).toMatchObject({ status, body: { error } });
  expect(answer.headers.has("www-authenticate")).toBe(status === 401 && authorization !== undefined);
});

test("a client that uses a grant type without permission gets unauthorized_client", async () => {
  const answer = await steps.token({ ...MACHINE, client_id: clientId });
  expect(answer).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
});

test.each(["grant_type", "client_id", "client_secret", "scope"])(
  "a token request with %s twice is rejected",
  async (name) => {
    const form = Object.entries({ ...MACHINE, client_id: "machine", client_secret: SECRET, scope: "echo" });
    const twice = [...form, ...form.filter(([key]) => key === name)];
    expect(await steps.token(twice)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  },
);

test("a token's only audience is this gateway: a request may name the gateway in any notation, but no other resource", async () => {
  const form = { ...MACHINE, client_id: "machine", client_secret: SECRET };
  for (const resource of [PUBLIC_URL, `${PUBLIC_URL}/`, `${PUBLIC_URL}/mcp`, "HTTPS://GATEWAY.TEST/"]) {
    const { body } = await steps.token({ ...form, resource });
    expect((await steps.call(body.access_token)).status, resource).toBe(200);
  }
  for (const resource of [
    "https://other.test",
    `${PUBLIC_URL}.evil.test/`,
    `${PUBLIC_URL}@evil.test/`,
    "nonsense",
    `${PUBLIC_URL}/#a`,
  ]) {
    expect((await steps.token({ ...form, resource })).body.error, resource).toBe("invalid_target");
  }
});

test("a code yields tokens once, and a second use revokes them", async () => {
  const code = await steps.code(clientId);
  const first = await steps.redeem(clientId, code);
  expect(first).toMatchObject({ status: 200, body: { token_type: "Bearer", scope: "echo" } });
  expect((await steps.call(first.body.access_token)).status).toBe(200);
  expect((await steps.redeem(clientId, code)).body.error).toBe("invalid_grant");
  expect((await steps.call(first.body.access_token)).status).toBe(401);
  expect((await steps.refresh(clientId, first.body.refresh_token)).body.error).toBe("invalid_grant");
  expect(ended).toEqual([`session of ${clientId}`]);
});

test("a code that arrives many times concurrently gives tokens at most once, and these tokens are revoked", async () => {
  const code = await steps.code(clientId);
  const answers = await Promise.all(Array.from({ length: 8 }, () => steps.redeem(clientId, code)));
  const given = answers.filter(({ status }) => status === 200);
  expect(given.length).toBeLessThanOrEqual(1);
  for (const { body } of given) expect((await steps.call(body.access_token)).status).toBe(401);
});

test.each([
  ["a wrong verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
  ["a verifier that is too short", { code_verifier: "short" }, "invalid_request"],
  ["another redirect URI", { redirect_uri: `${REDIRECT_URI}/other` }, "invalid_grant"],
  ["another port", { redirect_uri: REDIRECT_URI.replace("4567", "4568") }, "invalid_grant"],
])("redeeming a code with %s is rejected", async (_, changes, error) => {
  const code = await steps.code(clientId);
  expect(await steps.redeem(clientId, code, changes)).toMatchObject({ status: 400, body: { error } });
});

test("redeeming a code without its verifier, by another client, or after its expiry is rejected", async () => {
  const code = await steps.code(clientId);
  const form = { grant_type: "authorization_code", client_id: clientId, code, redirect_uri: REDIRECT_URI };
  expect((await steps.token(form)).body.error).toBe("invalid_grant");
  const other = await steps.publicClient();
  expect((await steps.redeem(other, code)).body.error).toBe("invalid_grant");
  shift += 61_000;
  expect((await steps.redeem(clientId, code)).body.error).toBe("invalid_grant");
});

test("a client may omit the redirect URI when it redeems a code (OAuth 2.1), or repeat it with any port", async () => {
  const code = await steps.code(clientId, { redirect_uri: REDIRECT_URI.replace("4567", "50123") });
  const form = { grant_type: "authorization_code", client_id: clientId, code, code_verifier: VERIFIER };
  expect((await steps.token(form)).status).toBe(200);
});

async function tokens(): Promise<Readonly<Record<string, unknown>>> {
  return (await steps.redeem(clientId, await steps.code(clientId))).body;
}

test("a refresh returns a new refresh token, and the previous token can be reused once within ten seconds; a later reuse revokes the grant", async () => {
  const first = await tokens();
  const second = (await steps.refresh(clientId, first.refresh_token)).body;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  shift += 9_000;
  const sibling = (await steps.refresh(clientId, first.refresh_token)).body;
  expect((await steps.call(sibling.access_token)).status).toBe(200);
  // The second refresh did not extend the period of the first refresh.
  shift += 2_000;
  const third = (await steps.refresh(clientId, sibling.refresh_token)).body;
  expect(third.access_token).toBeDefined();
  expect((await steps.refresh(clientId, first.refresh_token)).body.error).toBe("invalid_grant");
  for (const { access_token: token } of [second, sibling, third]) {
    expect((await steps.call(token)).status).toBe(401);
  }
  expect((await steps.refresh(clientId, third.refresh_token)).body.error).toBe("invalid_grant");
  expect(ended).toEqual([`session of ${clientId}`]);
  expect(JSON.stringify(served.lines)).toContain("used again");
});

test("of many concurrent refreshes, only two get valid tokens, and the rejected refreshes do not end the grant", async () => {
  const { refresh_token: token } = await tokens();
  const answers = await Promise.all(Array.from({ length: 4 }, () => steps.refresh(clientId, token)));
  const good = answers.filter(({ status }) => status === 200);
  const bad = answers.filter(({ status }) => status !== 200);
  expect(good).toHaveLength(2);
  for (const { body } of good) expect((await steps.call(body.access_token)).status).toBe(200);
  for (const answer of bad) expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  expect(ended).toEqual([]);
});

test("a refresh token works only for its client, and never adds scopes", async () => {
  const { refresh_token: token } = await tokens();
  const other = await steps.publicClient();
  expect((await steps.refresh(other, token)).body.error).toBe("invalid_grant");
  expect((await steps.refresh(clientId, token, { scope: "talk" })).body.error).toBe("invalid_scope");
  expect((await steps.refresh(clientId, token, { scope: "echo" })).body.scope).toBe("echo");
});

test("access tokens, refresh tokens and a person's consent expire even if they are refreshed often", async () => {
  let { access_token: access, refresh_token: refresh } = await tokens();
  shift += 3_601_000;
  expect((await steps.call(access)).status).toBe(401);
  for (let hours = 1; hours < 23; hours += 1) {
    const { body } = await steps.refresh(clientId, refresh);
    expect(body.refresh_token).toBeDefined();
    refresh = body.refresh_token;
    access = body.access_token;
    shift += 3_600_000;
  }
  shift += 3_600_000;
  expect((await steps.refresh(clientId, refresh)).body.error).toBe("invalid_grant");
});

test("after the person's session has ended, refreshes and codes give no tokens", async () => {
  const { refresh_token: token } = await tokens();
  const code = await steps.code(clientId);
  isAlive = false;
  expect((await steps.refresh(clientId, token)).body.error).toBe("invalid_grant");
  expect((await steps.redeem(clientId, code)).body.error).toBe("invalid_grant");
  isAlive = true;
});

test.each(["access_token", "refresh_token"])("a revoked %s ends the grant and its session", async (kind) => {
  const given = await tokens();
  const token = String(given[kind]);
  const hint = kind === "access_token" ? "refresh_token" : "nonsense";
  const revoked = await steps.post("/revoke", { client_id: clientId, token, token_type_hint: hint });
  expect(revoked).toMatchObject({ status: 200, text: "" });
  expect((await steps.call(given.access_token)).status).toBe(401);
  expect((await steps.refresh(clientId, given.refresh_token)).body.error).toBe("invalid_grant");
  expect(ended).toEqual([`session of ${clientId}`]);
});

test("revoking an unknown token or another client's token has no effect, but gets the response of a successful revocation", async () => {
  const { access_token: token } = await tokens();
  const other = await steps.publicClient();
  for (const form of [
    { client_id: other, token: String(token) },
    { client_id: clientId, token: "unknown" },
  ]) {
    expect(await steps.post("/revoke", form)).toMatchObject({ status: 200, text: "" });
  }
  expect((await steps.call(token)).status).toBe(200);
  expect((await steps.post("/revoke", { client_id: clientId })).body.error).toBe("invalid_request");
  expect((await steps.post("/revoke", { client_id: "nobody", token: "a" })).status).toBe(401);
});

test("a session ends with the last of its grants", async () => {
  const [first, second] = [await tokens(), await tokens()];
  await steps.post("/revoke", { client_id: clientId, token: String(first.refresh_token) });
  expect(ended).toEqual([]);
  expect((await steps.call(second.access_token)).status).toBe(200);
  await steps.post("/revoke", { client_id: clientId, token: String(second.refresh_token) });
  expect(ended).toEqual([`session of ${clientId}`]);
});

test.each(["/token", "/revoke", "/register"])(
  "a body of a megabyte at %s is rejected without being read",
  async (path) => {
    const type = path === "/register" ? "application/json" : "application/x-www-form-urlencoded";
    const answer = await steps.request(path, {
      method: "POST",
      headers: { "content-type": type },
      body: "a".repeat(1024 * 1024),
    });
    expect(answer.status).toBe(413);
  },
);

test.each(["text/plain", "multipart/form-data; boundary=a", "application/json", ""])(
  "a token request as %s is rejected",
  async (type) => {
    const headers = type === "" ? {} : { "content-type": type };
    const answer = await steps.request("/token", {
      method: "POST",
      headers,
      body: Buffer.from("grant_type=client_credentials"),
    });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  },
);
