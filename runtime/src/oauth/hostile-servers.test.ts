import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterAll, afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { failureOf } from "../testing/failure.ts";
import { httpUpstream, type TestServer, textOfRequest } from "../testing/servers.ts";
import { Secret } from "../text/secret.ts";
import { discover, resourceMetadataIn } from "./discovery.ts";
import { Session } from "./session.ts";
import { signIn } from "./sign-in.ts";
import { TokenFile } from "./token-file.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-hostile-"));
const OPEN: TestServer[] = [];
let files = 0;
afterEach(async () => {
  for (const one of OPEN.splice(0)) await one[Symbol.asyncDispose]();
});
afterAll(() => rmSync(directory, { recursive: true }));
const newFile = () => new TokenFile(path.join(directory, `tokens-${files++}.json`));

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Returns the responses of a server by path, given its address. Other paths respond with 404. */
type Answers = (url: string) => Readonly<Record<string, Answer>>;

async function serverSaying(
  answers: Answers,
): Promise<{ url: string; forms: URLSearchParams[]; seen: string[] }> {
  const forms: URLSearchParams[] = [];
  const seen: string[] = [];
  const server = await httpUpstream(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://x");
    seen.push(pathname);
    forms.push(new URLSearchParams(await textOfRequest(request)));
    const { status = 200, headers = {}, body = "" } = answers(server.url)[pathname] ?? { status: 404 };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  OPEN.push(server);
  return { url: server.url, forms, seen };
}

const METADATA = "/.well-known/oauth-authorization-server";
const good = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/a`,
  token_endpoint: `${url}/t`,
  registration_endpoint: `${url}/r`,
  revocation_endpoint: `${url}/v`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
});
const registered = { status: 201, body: { client_id: "me", token_endpoint_auth_method: "none" } };

const BAD: ReadonlyArray<readonly [string, Answers, string, RegExp]> = [
  [
    "an error in place of metadata",
    () => ({ [METADATA]: { status: 500 } }),
    "OAUTH_DISCOVERY_FAILED",
    /status 500$/,
  ],
  [
    "a rejection in place of metadata",
    () => ({ [METADATA]: { status: 403 } }),
    "OAUTH_DISCOVERY_FAILED",
    /status 403$/,
  ],
  [
    "redirected metadata",
    () => ({ [METADATA]: { status: 302, headers: { location: "https://evil.example/" } } }),
    "OAUTH_DISCOVERY_FAILED",
    /status 302$/,
  ],
  [
    "a page in place of metadata",
    () => ({ [METADATA]: { body: "<html>" } }),
    "OAUTH_DISCOVERY_FAILED",
    /expected a JSON object/,
  ],
  ["an array", () => ({ [METADATA]: { body: [] } }), "OAUTH_DISCOVERY_FAILED", /expected a JSON object/],
  [
    "a megabyte of metadata",
    () => ({ [METADATA]: { body: `{"a":"${"x".repeat(1_000_000)}"}` } }),
    "OAUTH_DISCOVERY_FAILED",
    /a response of more than 262144 bytes/,
  ],
  [
    "another issuer",
    (url) => ({ [METADATA]: { body: { ...good(url), issuer: "https://evil.example" } } }),
    "OAUTH_METADATA_INVALID",
    /expected the issuer http:\/\/127\.0\.0\.1:\d+, got "https:\/\/evil\.example"/,
  ],
  [
    "no issuer",
    (url) => ({ [METADATA]: { body: { ...good(url), issuer: undefined } } }),
    "OAUTH_METADATA_INVALID",
    /got none/,
  ],
  [
    "a token endpoint without TLS",
    (url) => ({ [METADATA]: { body: { ...good(url), token_endpoint: "http://id.example/t" } } }),
    "OAUTH_METADATA_INVALID",
    /expected token_endpoint to be an https address .*, got http to id\.example/,
  ],
  [
    "an authorization endpoint with a script URL",
    (url) => ({ [METADATA]: { body: { ...good(url), authorization_endpoint: "javascript:alert(1)" } } }),
    "OAUTH_METADATA_INVALID",
    /got the scheme javascript:/,
  ],
  [
    "an endpoint that is a number",
    (url) => ({ [METADATA]: { body: { ...good(url), registration_endpoint: 5 } } }),
    "OAUTH_METADATA_INVALID",
    /expected registration_endpoint to be/,
  ],
  [
    "no support for PKCE",
    (url) => ({ [METADATA]: { body: { ...good(url), code_challenge_methods_supported: undefined } } }),
    "OAUTH_METADATA_INVALID",
    /code_challenge_methods_supported with S256 \(PKCE\), got none/,
  ],
  [
    "support for only plain PKCE",
    (url) => ({ [METADATA]: { body: { ...good(url), code_challenge_methods_supported: ["plain"] } } }),
    "OAUTH_METADATA_INVALID",
    /got plain/,
  ],
  [
    "no support for codes",
    (url) => ({ [METADATA]: { body: { ...good(url), response_types_supported: ["token"] } } }),
    "OAUTH_METADATA_INVALID",
    /response_types_supported with code, got token/,
  ],
  [
    "no registration endpoint",
    (url) => ({ [METADATA]: { body: { ...good(url), registration_endpoint: undefined } } }),
    "OAUTH_REGISTRATION_FAILED",
    /the server does not let clients register themselves/,
  ],
  [
    "a registration that is rejected",
    (url) => ({
      [METADATA]: { body: good(url) },
      "/r": { status: 400, body: { error: "invalid_redirect_uri", error_description: "no" } },
    }),
    "OAUTH_REGISTRATION_FAILED",
    /no client ID: invalid_redirect_uri: no/,
  ],
  [
    "a registration without an ID",
    (url) => ({ [METADATA]: { body: good(url) }, "/r": { status: 201, body: {} } }),
    "OAUTH_REGISTRATION_FAILED",
    /client_id/,
  ],
  [
    "a client that must use another authentication method",
    (url) => ({
      [METADATA]: { body: good(url) },
      "/r": { status: 201, body: { client_id: "me", token_endpoint_auth_method: "private_key_jwt" } },
    }),
    "OAUTH_REGISTRATION_FAILED",
    /expected a client that authenticates by none, or by a secret, got "private_key_jwt"/,
  ],
  [
    "metadata of another resource",
    (url) => ({
      "/": { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${url}/m"` } },
      "/m": { body: { resource: "https://other.example", authorization_servers: [url] } },
    }),
    "OAUTH_METADATA_INVALID",
    /expected a resource that .* is a part of, got "https:\/\/other\.example"/,
  ],
  [
    "resource metadata without TLS",
    () => ({
      "/": { status: 401, headers: { "www-authenticate": 'Bearer resource_metadata="http://a.example/m"' } },
    }),
    "OAUTH_METADATA_INVALID",
    /got http to a\.example/,
  ],
  [
    "an authorization server without metadata",
    (url) => ({
      "/": { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${url}/m"` } },
      "/m": { body: { resource: url, authorization_servers: [`${url}/tenant`] } },
    }),
    "OAUTH_DISCOVERY_FAILED",
    /status 404 at every place where metadata may be/,
  ],
];

test.each(BAD)(
  "the sign-in at an unusable server fails before the user has to act: %s",
  async (_, answers, reason, text) => {
    const { url } = await serverSaying(answers);
    let opened = 0;
    const open = () => {
      opened++;
    };
    const error = await failureOf(signIn(url, newFile(), { open }));
    expect([reasonOf(error), opened]).toEqual([reason, 0]);
    expect(error.rawMessage).toMatch(text);
  },
);

test("the issuer may end with a slash, and unused members of the metadata are dropped", async () => {
  const { url } = await serverSaying((url) => ({
    [METADATA]: { body: { ...good(url), issuer: `${url}/`, x: 1 } },
  }));
  const { metadata } = await discover(url);
  expect(metadata).toEqual({ ...good(url), issuer: `${url}/` });
});

test("the metadata of an authorization server whose address has a path is found at the locations for such addresses", async () => {
  const { url, seen } = await serverSaying((url) => ({
    "/api": { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${url}/m"` } },
    "/m": { body: { resource: `${url}/api`, authorization_servers: [`${url}/tenant`] } },
    "/tenant/.well-known/openid-configuration": { body: { ...good(url), issuer: `${url}/tenant` } },
  }));
  expect((await discover(`${url}/api`)).metadata.issuer).toBe(`${url}/tenant`);
  expect(seen.slice(2)).toEqual([
    "/.well-known/oauth-authorization-server/tenant",
    "/.well-known/openid-configuration/tenant",
    "/tenant/.well-known/openid-configuration",
  ]);
});

test("any challenge can be parsed, and an address is only taken from its resource_metadata", () => {
  fc.assert(
    fc.property(fc.string(), fc.webUrl(), (before, address) => {
      const found = resourceMetadataIn(`Bearer realm="a", resource_metadata="${address}"`);
      expect(found).toBe(address);
      expect(resourceMetadataIn(before)?.length ?? 0).toBeLessThanOrEqual(before.length);
    }),
  );
  expect(resourceMetadataIn('Bearer xresource_metadata="https://a.example"')).toBeUndefined();
});

/** Invalid authorization responses, each made by altering the valid one. */
const RESPONSES: ReadonlyArray<readonly [string, (query: URLSearchParams) => void, string, RegExp]> = [
  [
    "another issuer",
    (query) => query.set("iss", "https://evil.example"),
    "OAUTH_AUTHORIZATION_INVALID",
    /"iss"/,
  ],
  ["two codes", (query) => query.append("code", "c2"), "OAUTH_AUTHORIZATION_INVALID", /"code"/],
  ["no code", (query) => query.delete("code"), "OAUTH_AUTHORIZATION_INVALID", /expected a code, got none/],
  [
    "an error with a line break",
    (query) => {
      query.delete("code");
      query.set("error", "access_denied");
      query.set("error_description", "a\r\nb\u001b[31m");
    },
    "OAUTH_AUTHORIZATION_REFUSED",
    /access_denied: a b \[31m$/,
  ],
];

test.each(RESPONSES)(
  "a code in an invalid response is not exchanged for tokens: %s",
  async (_, change, reason, text) => {
    const { url, seen } = await serverSaying((url) => ({
      [METADATA]: { body: good(url) },
      "/r": registered,
    }));
    const open = (address: URL) => {
      const query = new URLSearchParams({ code: "c1", state: address.searchParams.get("state") ?? "" });
      change(query);
      void fetch(`${address.searchParams.get("redirect_uri")}?${query}`);
    };
    const file = newFile();
    const error = await failureOf(signIn(url, file, { open }));
    expect(reasonOf(error)).toBe(reason);
    expect(error.rawMessage).toMatch(text);
    expect(seen).not.toContain("/t");
    expect(await file.entry(url)).toBeUndefined();
  },
);

test("a response without the issuer is rejected if the metadata declares that responses contain it", async () => {
  const { url } = await serverSaying((url) => ({
    [METADATA]: { body: { ...good(url), authorization_response_iss_parameter_supported: true } },
    "/r": registered,
  }));
  const open = (address: URL) => {
    const state = address.searchParams.get("state");
    void fetch(`${address.searchParams.get("redirect_uri")}?code=c&state=${state}`);
  };
  const error = await failureOf(signIn(url, newFile(), { open }));
  expect(error.rawMessage).toMatch(/response parameter "iss" \(issuer\) missing/);
});

test("the request contains a code challenge, a state and the resource, and the code is exchanged with the verifier", async () => {
  const tokens = { access_token: "at-1", token_type: "Bearer", refresh_token: "rt-1" };
  const { url, forms } = await serverSaying((url) => ({
    [METADATA]: { body: good(url) },
    "/r": registered,
    "/t": { body: tokens },
  }));
  const asked: URL[] = [];
  const open = (address: URL) => {
    asked.push(address);
    const state = address.searchParams.get("state");
    void fetch(`${address.searchParams.get("redirect_uri")}?code=c1&state=${state}`);
  };
  await signIn(url, newFile(), { open, resource: "https://r.example", scope: "a b" });
  const query = Object.fromEntries(asked[0]?.searchParams ?? []);
  expect(query).toMatchObject({
    response_type: "code",
    client_id: "me",
    scope: "a b",
    resource: "https://r.example",
    code_challenge_method: "S256",
    state: expect.stringMatching(/^[\w-]{43}$/),
  });
  const form = Object.fromEntries(forms.at(-1) ?? []);
  expect(form).toMatchObject({
    code: "c1",
    redirect_uri: query.redirect_uri,
    client_id: "me",
    resource: "https://r.example",
  });
  const hash = await crypto.subtle.digest("SHA-256", Buffer.from(form.code_verifier ?? ""));
  expect(Buffer.from(hash).toString("base64url")).toBe(query.code_challenge);
});

test("no error and no status message contains a token, even if the server repeats tokens", async () => {
  const { url } = await serverSaying(() => ({
    "/t": { status: 400, body: { error: "invalid_grant", error_description: "refresh-secret-1 is over" } },
    "/v": { status: 503, body: "refresh-secret-1" },
  }));
  const file = newFile();
  const details = {
    issuer: url,
    tokenEndpoint: `${url}/t`,
    revocationEndpoint: `${url}/v`,
    clientId: "me",
    clientMethod: "none",
    grant: "authorization_code",
  };
  const tokens = {
    accessToken: new Secret("access-secret-1"),
    refreshToken: new Secret("refresh-secret-1"),
    expiresAt: 1,
    scope: undefined,
  };
  await file.update(url, () => ({ details, tokens }));
  const session = new Session(url, file);
  const texts = [JSON.stringify(await session.status())];
  for (const act of [() => session.get(), () => session.end()]) {
    const error = await failureOf(act());
    texts.push(error.message, inspect(error, { depth: 10 }), String(error.stack));
  }
  expect(texts.join("\n")).not.toMatch(/access-secret|refresh-secret/);
  expect(readFileSync(file.path, "utf8")).not.toContain("secret");
});

test.each([
  ["invalid JSON", "hush"],
  ["another version", '{"version":2,"entries":{}}'],
  ["a list", "[]"],
  [
    "a broken entry",
    '{"version":1,"entries":{"https://a.example":{"details":{},"tokens":{"access_token":5}}}}',
  ],
])("a token file in another format is rejected and not changed: %s", async (_, text) => {
  const { writeFileSync } = await import("node:fs");
  const file = newFile();
  writeFileSync(file.path, text, { mode: 0o600 });
  const error = await failureOf(new Session("https://a.example", file).get());
  expect(reasonOf(error)).toBe("TOKEN_FILE_REFUSED");
  expect(error.message).not.toContain("hush");
  expect(reasonOf(await failureOf(file.update("x", () => undefined)))).toBe("TOKEN_FILE_REFUSED");
  expect(readFileSync(file.path, "utf8")).toBe(text);
});
