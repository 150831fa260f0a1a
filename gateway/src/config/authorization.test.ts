import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hashOf } from "connect-rest-runtime/internal";
import { afterAll, expect, test } from "vitest";
import { type Prepared, prepare } from "./inspect.ts";
import { printConfig } from "./print.ts";
import { ConfigError } from "./problems.ts";
import { warningsOf } from "./upstream-uses.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-authorization-"));
afterAll(() => rmSync(directory, { recursive: true }));
const echo = path.resolve(import.meta.dirname, "../testing/echo-rest.ts");
const oauth = path.resolve(import.meta.dirname, "../../../gen/oauth/v1/oauth_rest.ts");
const file = path.join(directory, "connect-rest.yaml");
const key = { kty: "EC", crv: "P-256", x: "a", y: "b" };
writeFileSync(path.join(directory, "public.json"), JSON.stringify({ keys: [key] }));
writeFileSync(path.join(directory, "private.json"), JSON.stringify({ keys: [{ ...key, d: "c" }] }));
writeFileSync(path.join(directory, "none.json"), "{}");

const ENV = {
  GOOD: "hunter2".repeat(5),
  SHORT: "hunter2",
  SPACED: "hunter2 ".repeat(5),
  DB: "postgres://u:hunter2@h/d",
};
const PLACE = { GOOD: "{ env: GOOD }", SHORT: "{ env: SHORT }" };

async function read(text: string): Promise<Prepared> {
  writeFileSync(file, text);
  return prepare(file, ENV);
}

async function problemsOf(text: string): Promise<string[]> {
  const error = await read(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return [];
  if (!(error instanceof ConfigError)) throw error;
  return error.message
    .replaceAll(`${directory}/`, "")
    .replace(/connect-rest\.yaml:\d+:\d+: /g, "")
    .split("\n");
}

const base = (rest: string, upstream = "", server = "") =>
  `adapters: [${echo}]\nupstreams: { echo: { baseUrl: 'https://echo.example'${upstream} } }\n${server}\nauthorization: { publicUrl: 'http://127.0.0.1:8080', ${rest} }\n`;
const client = (rest: string) => base(`clients: { c: { ${rest} } }`);

const MISTAKES: readonly (readonly [name: string, text: string, problem: string])[] = [
  [
    "pass-through of the header with the callers' tokens",
    base("", ", credentials: { passThrough: { oauth2: { header: Authorization } } }"),
    "upstreams.echo.credentials.passThrough: the header authorization carries tokens of the gateway, which must go to no upstream; name another header, e.g. x-upstream-authorization",
  ],
  [
    "a service whose responses contain upstream tokens",
    `adapters: [${oauth}]\nupstreams: { blog: { baseUrl: 'https://blog.example' } }\nauthorization: { publicUrl: 'http://localhost' }`,
    "routes: oauth.v1.OAuthService/CreateRequestToken hands out tokens of the upstream, which must not leave the gateway while callers are authorized; add oauth.v1.OAuthService to routes.exclude",
  ],
  [
    "an address with a path",
    base("").replace("8080'", "8080/mcp'"),
    'authorization.publicUrl: expected the origin by which callers reach the gateway, e.g. https://gateway.example.com: https (http on loopback alone), without a path and a slash at the end; it is "http://127.0.0.1:8080/mcp"',
  ],
  [
    "http on a non-loopback address",
    base("").replace("127.0.0.1", "gateway.example"),
    'authorization.publicUrl: expected the origin by which callers reach the gateway, e.g. https://gateway.example.com: https (http on loopback alone), without a path and a slash at the end; it is "http://gateway.example:8080"',
  ],
  [
    "a public URL whose host is not served",
    base("", "", "server: { hosts: [other.example] }"),
    "authorization.publicUrl: requests for 127.0.0.1:8080 are not served; add its name to server.hosts",
  ],
  [
    "a pattern that matches no method",
    base("scopes: { a: { methods: [echo.v1.EchoService/Eko] } }"),
    'authorization.scopes.a.methods[0]: no method that is served has this name. Did you mean "echo.v1.EchoService/Echo"?',
  ],
  [
    "an invalid pattern",
    base("scopes: { a: { methods: ['echo/*'] } }"),
    'authorization.scopes.a.methods[0]: expected package.Service/Method, package.Service, package.* or *; it is "echo/*"',
  ],
  [
    "a reserved scope",
    base("scopes: { openid: { methods: ['*'] } }"),
    "authorization.scopes.openid: openid and offline_access mean something else",
  ],
  [
    "an unknown scope of a client",
    client(`secret: ${PLACE.GOOD}, grants: [client_credentials], scopes: [b]`),
    "authorization.clients.c.scopes: there is no scope b; there are call",
  ],
  [
    "a secret that is too short",
    client(`secret: ${PLACE.SHORT}, grants: [client_credentials]`),
    "authorization.clients.c.secret: a secret needs 32 characters, e.g. of: openssl rand -hex 32",
  ],
  [
    "a secret in the file",
    client("secret: hunter2, grants: [client_credentials]"),
    "authorization.clients.c.secret: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
  ],
  [
    "both a secret and keys",
    client(`secret: ${PLACE.GOOD}, jwks: public.json, grants: [client_credentials]`),
    "authorization.clients.c: name one of secret and jwks",
  ],
  [
    "private keys",
    client("jwks: private.json, grants: [client_credentials]"),
    'authorization.clients.c.jwks: private.json must be a JSON Web Key Set of public keys (RFC 7517): {"keys": [{"kty": ...}]}',
  ],
  [
    "invalid keys",
    client("jwks: none.json, grants: [client_credentials]"),
    'authorization.clients.c.jwks: none.json must be a JSON Web Key Set of public keys (RFC 7517): {"keys": [{"kty": ...}]}',
  ],
  [
    "a client that calls for itself and cannot authenticate",
    client("grants: [client_credentials]"),
    "authorization.clients.c: a client that calls for itself must authenticate: name secret or jwks",
  ],
  [
    "a client without a redirect URI",
    client("name: C"),
    "authorization.clients.c.redirectUris: authorization_code needs an address",
  ],
  [
    "a redirect URI without TLS",
    client("redirectUris: ['http://app.example/']"),
    'authorization.clients.c.redirectUris[0]: expected an address: https, or http with localhost, 127.0.0.1 or [::1]; as browsers write it, without user, fragment and parameters of the response (RFC 8252); it is "http://app.example/"',
  ],
  ...["http://127.0.0.1:8080/cb", "http://localhost:8080/", "http://[::1]:8080/"].map(
    (uri): [string, string, string] => [
      `a redirect URI of the gateway's own: ${uri}`,
      client(`redirectUris: ['https://app.example/', '${uri}']`),
      `authorization.clients.c.redirectUris: expected addresses of the client, got ${uri}, which is on the gateway's own origin`,
    ],
  ),
  [
    "a registration token without the mode token",
    base(`registration: { initialAccessToken: ${PLACE.GOOD} }`),
    "authorization.registration: mode: token and initialAccessToken belong together: name both, or neither",
  ],
  [
    "a token that is invalid in a header",
    base("registration: { mode: token, initialAccessToken: { env: SPACED } }"),
    "authorization.registration.initialAccessToken: a bearer token has letters, digits and ._~+/- alone (RFC 6750 section 2.1)",
  ],
  [
    "two stores",
    base("store: { file: a, postgres: { env: DB } }"),
    "authorization.store: name one of file and postgres",
  ],
  [
    "an invalid database URL",
    base("store: { postgres: { env: GOOD } }"),
    "authorization.store.postgres: expected the address of a database: postgres://user:password@host/database",
  ],
];

test.each(MISTAKES)(
  "check-config reports the mistake in authorization settings with %s",
  async (_name, text, problem) => {
    const found = await problemsOf(text);
    expect(found).toEqual([problem]);
    expect(found.join()).not.toContain("hunter2");
  },
);

test("a valid section is read with its defaults, and secrets are kept only as hashes", async () => {
  const { authorization, config } = await read(
    base(
      `scopes: { read: { methods: ['echo.v1.*'] } }, clients: { c: { secret: ${PLACE.GOOD}, grants: [client_credentials] }, k: { jwks: public.json, redirectUris: ['http://localhost/'] } }`,
    ),
  );
  expect(authorization).toMatchObject({
    publicUrl: "http://127.0.0.1:8080",
    storePlace: { file: path.join(directory, "authorization.sqlite") },
    open: { health: true, reflection: false },
    registration: { initialAccessToken: undefined, grants: ["authorization_code", "refresh_token"] },
    clients: [
      {
        client_id: "c",
        client_secret: hashOf(ENV.GOOD),
        scope: "read",
        token_endpoint_auth_method: "client_secret_basic",
      },
      { client_id: "k", jwks: { keys: [key] }, token_endpoint_auth_method: "private_key_jwt" },
    ],
  });
  expect(printConfig(config, ENV)).toContain('secret:\n        env: GOOD\n        value: "[secret]"');
  expect(printConfig(config, ENV)).not.toContain("hunter2");
  const closed = await read(base("registration: { mode: closed }, store: { postgres: { env: DB } }"));
  expect(closed.authorization).toMatchObject({
    registration: undefined,
    storePlace: { postgresUrl: ENV.DB },
  });
});

test("without the section authorization, callers are not authorized", async () => {
  expect(
    (await read(`adapters: [${echo}]\nupstreams: { echo: { baseUrl: 'https://e.example' } }`)).authorization,
  ).toBeUndefined();
});

test("valid settings that are probably unintended cause warnings", async () => {
  const text = base(
    "registration: { grants: [client_credentials] }, scopes: { a: { methods: ['*'] } }",
    "",
    "server: { hosts: [gateway.example] }",
  ).replace("http://127.0.0.1:8080", "https://gateway.example");
  const { config, adapters } = await read(text);
  expect(warningsOf(config, adapters).map(({ text: warning }) => warning)).toEqual([
    "is https, but the gateway neither speaks TLS (server.tls) nor trusts a proxy that does (server.proxies): every request but health checks will be rejected",
    "anyone who registers may call: client_credentials with mode: open",
  ]);
});
