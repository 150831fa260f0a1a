import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawClient } from "../../gateway/src/testing/raw-call.ts";
import {
  ANY_RATE,
  type AuthorizedGateway,
  FORWARDED,
  startAuthorized,
} from "../support/authorized-gateway.ts";
import { challengeOf, OAuthSteps, REDIRECT_URI, VERIFIER } from "../support/oauth-steps.ts";

let served: AuthorizedGateway;
let steps: OAuthSteps;
let clientId: string;
beforeAll(async () => {
  const limits = {
    drainNoticeMs: 1,
    bodyIdleTimeoutMs: 200,
    ...ANY_RATE,
  };
  served = await startAuthorized({}, { limits });
  steps = new OAuthSteps(served);
  clientId = await steps.publicClient();
});
afterAll(() => served.close());

const NAMES = [
  ...[
    "grant_type",
    "client_id",
    "client_secret",
    "client_assertion",
    "client_assertion_type",
    "code",
    "code_verifier",
  ],
  ...[
    "redirect_uri",
    "refresh_token",
    "scope",
    "resource",
    "token",
    "token_type_hint",
    "response_type",
    "state",
  ],
  ...[
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "response_mode",
    "request",
    "request_uri",
    "claims",
  ],
  ...["nonce", "max_age", "acr_values", "id_token_hint", "__proto__", "constructor", "toString"],
];

const form = () => {
  const values = fc.oneof(
    fc.constantFrom(
      clientId,
      REDIRECT_URI,
      challengeOf(VERIFIER),
      VERIFIER,
      "S256",
      "code",
      "query",
      "authorization_code",
    ),
    fc.constantFrom(
      "client_credentials",
      "refresh_token",
      "echo",
      "login",
      "{}",
      "a.b.c",
      "[object Object]",
      "\r\n",
      "\u0000",
    ),
    fc.string({ maxLength: 40, unit: "binary" }),
  );
  return fc.array(fc.tuple(fc.constantFrom(...NAMES), values), { maxLength: 12 });
};

test.each(["/token", "/revoke", "/authorize"])(
  "property: no form at %s makes the server fail, or gets a token by invalid credentials",
  async (path) => {
    await fc.assert(
      fc.asyncProperty(
        form(),
        fc.option(fc.string({ maxLength: 60 }), { nil: undefined }),
        async (pairs, secret) => {
          const basic =
            secret === undefined ? {} : { authorization: `Basic ${Buffer.from(secret).toString("base64")}` };
          const first = await steps.post(path, pairs, basic);
          const again = first.headers.get("location") ?? "";
          // A browser repeats the form as a query.
          const answer = again.startsWith("/authorize?")
            ? await steps.request(again, { headers: basic })
            : first;
          expect(answer.status, answer.text).toBeLessThan(500);
          expect(answer.text).not.toContain("access_token");
          const location = answer.headers.get("location");
          const own = /^(?:$|\/authorize\/i\/|http:\/\/127\.0\.0\.1:4567\/callback[?#])/;
          expect(location ?? "").toMatch(own);
        },
      ),
      { numRuns: 150 },
    );
  },
);

test("property: no JSON at /register makes the server fail", async () => {
  const keys = [
    "redirect_uris",
    "grant_types",
    "response_types",
    "jwks",
    "scope",
    "client_name",
    "token_endpoint_auth_method",
    "contacts",
    "client_uri",
    "__proto__",
    "client_id",
    "client_secret",
    "application_type",
    "default_max_age",
  ];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      [REDIRECT_URI],
      ["authorization_code"],
      ["code"],
      "none",
      { keys: [{}] },
      "private_key_jwt",
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), value), async (metadata) => {
      const answer = await steps.register({ redirect_uris: [REDIRECT_URI], ...metadata });
      expect(answer.status, answer.text).toBeLessThan(500);
      // The client cannot choose the client id.
      if (answer.status === 201) expect(answer.body.client_id).not.toBe(metadata.client_id);
    }),
    { numRuns: 200 },
  );
});

test("property: no cookie and no path under sign-in makes the server fail", async () => {
  const part = fc.constantFrom(
    "a",
    "%00",
    "..",
    "%2e%2e",
    "i",
    "return",
    "/",
    "A".repeat(43),
    "?state=",
    "&",
    "%",
    ";",
    "\\",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 6 }),
      fc.string({ maxLength: 40 }),
      async (parts, cookie) => {
        const path = `/authorize/${parts.join("")}`;
        const headers = {
          cookie: `connect_rest_interaction=${encodeURIComponent(cookie)}; connect_rest_resume=${"A".repeat(43)}`,
        };
        const answer = await steps.request(path, { headers });
        expect(answer.status, path).toBeLessThan(500);
        expect(answer.headers.get("location") ?? "").not.toMatch(/^https?:\/\/(?!gateway\.test)|^\/\//);
      },
    ),
    { numRuns: 200 },
  );
});

test("a query of a megabyte at /authorize is rejected", async () => {
  const answer = await steps
    .request(`/authorize?client_id=${"a".repeat(1024 * 1024)}`)
    .catch(() => undefined);
  expect([undefined, 414, 431]).toContain(answer?.status);
});

test.each(["/token", "/revoke", "/register", "/authorize"])(
  "a half-sent body at %s times out",
  async (path) => {
    const socket = net.connect(served.gateway.port, "127.0.0.1");
    const type = path === "/register" ? "application/json" : "application/x-www-form-urlencoded";
    const head = `POST ${path} HTTP/1.1\r\nhost: gateway.test\r\nx-forwarded-for: 1.2.3.4\r\nx-forwarded-proto: https\r\nx-forwarded-host: gateway.test\r\ncontent-type: ${type}\r\ncontent-length: 100\r\n\r\n`;
    socket.write(`${head}half`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 408/);
  },
);

test("two Authorization headers at /token are rejected", async () => {
  const socket = net.connect(served.gateway.port, "127.0.0.1");
  const lines = [
    "POST /token HTTP/1.1",
    "host: gateway.test",
    "x-forwarded-for: 1.2.3.4",
    "x-forwarded-proto: https",
  ];
  lines.push(
    "authorization: Basic YTpi",
    "Authorization: Basic Yzpk",
    "content-length: 0",
    "connection: close",
    "",
    "",
  );
  socket.write(lines.join("\r\n"));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400 .*one Authorization header/s);
});

test("the endpoints also handle hostile requests over HTTP/2", async () => {
  const client = rawClient(served.gateway.port);
  const headers = { ":authority": "gateway.test", "content-type": "application/json", ...FORWARDED };
  const body = Buffer.from(JSON.stringify({ redirect_uris: [REDIRECT_URI] }));
  const registered = await client.send({ version: "2", method: "POST", path: "/register", headers, body });
  expect(registered.status).toBe(201);
  const { client_id: id, client_secret: secret } = JSON.parse(registered.body.toString());
  const token = await client.send({
    version: "2",
    method: "POST",
    path: "/token",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(`grant_type=refresh_token&refresh_token=a&client_id=${id}&client_secret=${secret}`),
  });
  expect(token.status).toBe(400);
  expect(JSON.parse(token.body.toString()).error).toBe("unauthorized_client");
  const query = new URLSearchParams({
    client_id: id,
    response_type: "code",
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: "S256",
  });
  const { "content-type": _, ...get } = headers;
  const started = await client.send({
    version: "2",
    method: "GET",
    path: `/authorize?${query}`,
    headers: get,
  });
  expect(started.status).toBe(303);
  expect(started.headers["set-cookie"]).toHaveLength(4);
  client.close();
});
