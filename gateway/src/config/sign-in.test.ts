import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Prepared } from "./inspect.ts";
import { prepare } from "./inspect.ts";
import { loadConfig } from "./load.ts";
import { printConfig } from "./print.ts";
import { ConfigError } from "./problems.ts";
import { warningsOf } from "./upstream-uses.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-sign-in-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

const echo = path.resolve(import.meta.dirname, "../testing/personal-echo-rest.ts");
const file = path.join(directory, "connect-rest.yaml");
const KEY = randomBytes(32).toString("base64");
const ENV = { KEY, SECRET: "provider-secret", SHORT: "c2hvcnQ=" };

const OAUTH2 =
  "oauth2: { authorizationEndpoint: 'https://id.example/authorize', tokenEndpoint: 'https://id.example/token', clientId: me, clientSecret: { env: SECRET } }";
const IDENTITY = "identity: { url: 'https://id.example/me', field: sub }";
const KEYS = "signIn: { keys: [{ env: KEY }] }";

/** Returns a configuration with these sign-in settings and this `authorization` section. */
function configOf(signIn: string, authorization = KEYS, upstream = ""): string {
  return `adapters: [${echo}]
upstreams:
  echo:
    baseUrl: https://echo.example
    signIn: { ${signIn} }
    ${upstream}
authorization: { publicUrl: 'http://127.0.0.1:8080', ${authorization} }
`;
}

async function prepared(text: string): Promise<Prepared> {
  writeFileSync(file, text);
  return await prepare(file, ENV);
}

async function problemsOf(text: string): Promise<string[]> {
  try {
    await prepared(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split("\n").map((line) => line.replace(`${file}:`, "").replace(/^\d+:\d+: /, ""));
  }
  return [];
}

test("OAuth 2.0 sign-in settings are read with their secret, key and defaults", async () => {
  const { signIn } = await prepared(configOf(`${OAUTH2}, ${IDENTITY}`));
  expect(signIn).toMatchObject({
    idleMs: 14 * 86_400_000,
    sessionMs: 90 * 86_400_000,
    consentMs: 30 * 86_400_000,
    providers: [
      {
        name: "echo",
        title: "echo",
        required: true,
        server: {
          kind: "oauth2",
          settings: { pkce: true, scopes: [], clientAuthentication: "client_secret_basic" },
        },
        identity: { probe: { url: "https://id.example/me" }, field: "sub" },
      },
    ],
  });
  expect(signIn?.keys.map((key) => key.reveal())).toEqual([KEY]);
  const [provider] = signIn?.providers ?? [];
  expect(provider?.server.kind === "oauth2" && provider.server.settings.clientSecret?.reveal()).toBe(
    "provider-secret",
  );
});

test("OAuth 1.0a sign-in settings are read with the upstream's methods and the scope descriptions", async () => {
  const oauth1 =
    "oauth1: { requestTokenEndpoint: 'https://a.example/1', authorizationEndpoint: 'https://a.example/2', accessTokenEndpoint: 'https://a.example/3', consumerKey: { env: SECRET }, consumerSecret: { env: SECRET } }";
  const probes =
    "identity: { method: echo.v1.EchoService/Echo, request: { text: a }, field: text }, check: { method: echo.v1.EchoService/Echo, everySeconds: 60 }";
  const scopes = "scopes: { read: { methods: ['*'], description: Read all } }";
  const { signIn } = await prepared(configOf(`${oauth1}, ${probes}`, `${KEYS}, ${scopes}`));
  expect(signIn).toMatchObject({
    permissions: { read: "Read all" },
    providers: [
      {
        server: { kind: "oauth1", settings: { accessTokenMethod: "POST" } },
        identity: { probe: { method: "echo.v1.EchoService/Echo", request: { text: "a" } } },
        check: { probe: { method: "echo.v1.EchoService/Echo" }, everyMs: 60_000 },
      },
    ],
  });
});

test("a printed configuration contains no sign-in secret", () => {
  writeFileSync(file, configOf(`${OAUTH2}, ${IDENTITY}`));
  const text = printConfig(loadConfig(file, ENV), ENV);
  expect(text).toContain("clientId: me");
  expect(text).toMatch(/keys:\n +- env: KEY\n +value: "\[secret\]"/);
  for (const secret of [KEY, "provider-secret"]) expect(text).not.toContain(secret);
});

const MISTAKES: ReadonlyArray<readonly [name: string, text: string, problem: string]> = [
  [
    "no key",
    configOf(`${OAUTH2}, ${IDENTITY}`, ""),
    "authorization.signIn: people sign in at an upstream, and their tokens are stored encrypted: name a key, e.g. keys: [{ env: SIGN_IN_KEY }], of 32 random bytes (openssl rand -base64 32)",
  ],
  [
    "a key that is not set",
    configOf(`${OAUTH2}, ${IDENTITY}`, "signIn: { keys: [{ env: NONE }] }"),
    "authorization.signIn.keys[0]: the environment variable NONE is not set",
  ],
  [
    "a key that is too short",
    configOf(`${OAUTH2}, ${IDENTITY}`, "signIn: { keys: [{ env: KEY }, { env: SHORT }] }"),
    "authorization.signIn.keys[1]: a key has to be at least 32 random bytes in base64 or hexadecimal digits, e.g. from `openssl rand -base64 32`",
  ],
  [
    "neither oauth2 nor oauth1",
    configOf(IDENTITY),
    "upstreams.echo.signIn: name exactly one of oauth2 and oauth1",
  ],
  ["no identity", configOf(OAUTH2), "upstreams.echo.signIn.identity: missing: expected object"],
  [
    "two sources of the identity",
    configOf(`${OAUTH2}, identity: { url: 'https://id.example/me', method: a.B/C, field: sub }`),
    "upstreams.echo.signIn.identity: name exactly one of method and url",
  ],
  [
    "an endpoint without TLS",
    configOf(`${OAUTH2.replace("https://id.example/token", "http://id.example/token")}, ${IDENTITY}`),
    'upstreams.echo.signIn.oauth2.tokenEndpoint: expected an https address (http on loopback alone), without user and fragment; it is "http://id.example/token"',
  ],
  [
    "a secret in the file",
    configOf(`${OAUTH2.replace("{ env: SECRET }", "provider-secret")}, ${IDENTITY}`),
    "upstreams.echo.signIn.oauth2.clientSecret: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
  ],
  [
    "a reserved parameter",
    configOf(`${OAUTH2.replace("clientId: me", "clientId: me, parameters: { state: a }")}, ${IDENTITY}`),
    "upstreams.echo.signIn.oauth2.parameters: response_type, client_id, redirect_uri, state, scope, code_challenge and oauth_… are set by the flow itself",
  ],
  [
    "an unknown method",
    configOf(`${OAUTH2}, identity: { method: echo.v1.EchoService/Ecko, field: sub }`),
    'upstreams.echo.signIn.identity.method: no adapter has a unary method echo.v1.EchoService/Ecko of the upstream echo. Did you mean "echo.v1.EchoService/Echo"?',
  ],
  [
    "an invalid request for a method",
    configOf(`${OAUTH2}, identity: { method: echo.v1.EchoService/Echo, request: { txt: a }, field: text }`),
    'upstreams.echo.signIn.identity.method: the request does not fit echo.v1.EchoService/Echo: cannot decode message echo.v1.EchoRequest from JSON: key "txt" is unknown',
  ],
  [
    "fixed credentials of a person in addition to sign-in",
    configOf(`${OAUTH2}, ${IDENTITY}`, KEYS, "credentials: { oauth2: { accessToken: { env: SECRET } } }"),
    "upstreams.echo.credentials.oauth2: people sign in at this upstream, so that a person's token comes from their session; remove it",
  ],
  [
    "callers' credentials in addition to sign-in",
    configOf(`${OAUTH2}, ${IDENTITY}`, KEYS, "credentials: { passThrough: { oauth2: { header: x-token } } }"),
    "upstreams.echo.credentials.passThrough: people sign in at this upstream, so that a person's token comes from their session; remove it",
  ],
];

test.each(MISTAKES)("%s: the mistake is reported with a remedy", async (_name, text, problem) => {
  expect((await problemsOf(text)).join("\n")).toBe(problem);
});

test("methods that act for people cause no warning if people sign in at the upstream", async () => {
  const { config, adapters } = await prepared(configOf(`${OAUTH2}, ${IDENTITY}`));
  expect(warningsOf(config, adapters).map(({ text }) => text)).toEqual([]);
});
