import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { selfSigned } from "../testing/self-signed.ts";
import type { Environment } from "./environment.ts";
import { prepare } from "./inspect.ts";
import { ConfigError } from "./problems.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-mistakes-"));
afterAll(() => rmSync(directory, { recursive: true }));

const echo = path.resolve(import.meta.dirname, "../testing/echo-rest.ts");
const messages = path.resolve(import.meta.dirname, "../gen/grpc/health/v1/health_pb.ts");
writeFileSync(path.join(directory, "a.crt"), selfSigned().certificate);
writeFileSync(path.join(directory, "b.key"), selfSigned().key);

/** Returns the lines that `check-config` prints about a configuration, without the directory. */
async function problemsOf(text: string, env: Environment = {}): Promise<string[]> {
  const file = path.join(directory, "connect-rest.yaml");
  writeFileSync(file, text);
  try {
    await prepare(file, { SET: "value", KEY: "0123456789abcdef0123456789abcdef", ...env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replaceAll(`${directory}/`, "").replaceAll(echo, "echo-rest.ts").split("\n");
  }
  return [];
}

/** A valid configuration to which tests append invalid lines. */
const BASE = `adapters: [${echo}]\nupstreams: { echo: { baseUrl: 'https://echo.example' } }\n`;
const upstream = (rest: string) =>
  `adapters: [${echo}]\nupstreams:\n  echo: { baseUrl: 'https://echo.example', ${rest} }\n`;
const credentials = (rest: string) => upstream(`credentials: { ${rest} }`);

const BUS = (rest: string) =>
  `${BASE}watch: { resumeKey: { env: KEY } }\nbus: { url: 'redis://redis.example:6379', ${rest} }`;

const MISTAKES: readonly (readonly [name: string, text: string, ...problems: readonly string[]])[] = [
  ["no mistake", BASE],
  [
    "a tab in place of spaces",
    "server:\n\tport: 1",
    "connect-rest.yaml:2:1: yaml: Tabs are not allowed as indentation",
  ],
  [
    "a misspelled setting",
    `${BASE}sever: { port: 1 }`,
    'connect-rest.yaml:3:1: sever: unknown setting. Did you mean "server"?',
  ],
  [
    "a renamed setting",
    `${BASE}server: { pages: false }`,
    "connect-rest.yaml:3:11: server.pages: unknown setting. Its new name is server.console.",
  ],
  [
    "a setting that no longer exists, because the data of the console always needs a token",
    `${BASE}authorization: { publicUrl: "https://a.example", open: { console: true } }`,
    "connect-rest.yaml:3:58: authorization.open.console: unknown setting. Known here: health, reflection.",
  ],
  [
    "a setting of another program",
    `${BASE}endpoints: []`,
    "connect-rest.yaml:3:1: endpoints: unknown setting. Known here: adapters, types, upstreams, server, authorization, mcp, routes, examples, watch, bus, differences, record, strict, webAssembly, log, sandbox.",
  ],
  [
    "a setting at the wrong level",
    `${BASE}port: 8080`,
    "connect-rest.yaml:3:1: port: unknown setting. Known here: adapters, types, upstreams, server, authorization, mcp, routes, examples, watch, bus, differences, record, strict, webAssembly, log, sandbox.",
  ],
  ["no adapter", "adapters: []", "connect-rest.yaml:1:11: adapters: expected array to have >=1 items"],
  [
    "one adapter in place of a list",
    "adapters: ./a.ts",
    'connect-rest.yaml:1:11: adapters: expected array; it is "./a.ts"',
  ],
  [
    "a missing module",
    "adapters: [./gen/blog_rest.ts]",
    "connect-rest.yaml:1:12: adapters[0]: ./gen/blog_rest.ts cannot be loaded: there is no file gen/blog_rest.ts",
  ],
  ["valid types of a module", `${BASE}types: [${messages}]`],
  [
    "a single types module in place of a list",
    `${BASE}types: ./a_pb.ts`,
    'connect-rest.yaml:3:8: types: expected array; it is "./a_pb.ts"',
  ],
  [
    "types that are a number",
    `${BASE}types: [1]`,
    "connect-rest.yaml:3:9: types[0]: expected string; it is 1",
  ],
  [
    "types without a name",
    `${BASE}types: ['']`,
    'connect-rest.yaml:3:9: types[0]: expected string to have >=1 characters; it is ""',
  ],
  [
    "a missing types module, and a types module without messages",
    `${BASE}types: [./gen/a_pb.ts, ${echo}]`,
    "connect-rest.yaml:3:9: types[0]: ./gen/a_pb.ts cannot be loaded: there is no file gen/a_pb.ts",
    "connect-rest.yaml:3:24: types[1]: echo-rest.ts exports no messages; expected a module of protoc-gen-es, e.g. ./gen/shop/v1/events_pb.js",
  ],
  [
    "a string in place of a port",
    `${BASE}server: { port: http }`,
    'connect-rest.yaml:3:17: server.port: expected number; it is "http"',
  ],
  [
    "an invalid port",
    `${BASE}server: { port: 70000 }`,
    "connect-rest.yaml:3:17: server.port: expected number to be <=65535; it is 70000",
  ],
  [
    "a limit that is not a number",
    `${BASE}server: { limits: { unaryDeadlineMs: 15s } }`,
    'connect-rest.yaml:3:38: server.limits.unaryDeadlineMs: expected number; it is "15s"',
  ],
  [
    "a limit of zero",
    `${BASE}server: { limits: { connections: 0 } }`,
    "connect-rest.yaml:3:34: server.limits.connections: expected number to be >=1; it is 0",
  ],
  [
    "a misspelled limit",
    `${BASE}server: { limits: { readMaxByte: 1 } }`,
    'connect-rest.yaml:3:21: server.limits.readMaxByte: unknown setting. Did you mean "readMaxBytes"?',
  ],
  [
    "an origin without a scheme",
    `${BASE}server: { origins: [app.example] }`,
    'connect-rest.yaml:3:21: server.origins[0]: expected an origin, or "*"; it is "app.example"',
  ],
  [
    "an origin with a trailing slash",
    `${BASE}server: { origins: [https://app.example/] }`,
    'connect-rest.yaml:3:21: server.origins[0]: expected an origin, or "*"; it is "https://app.example/"',
  ],
  [
    "a host with a port",
    `${BASE}server: { hosts: [gateway.example:8080] }`,
    'connect-rest.yaml:3:19: server.hosts[0]: expected a host name or an IP address without a port, *.example.com, or "*"; it is "gateway.example:8080"',
  ],
  [
    "a URL as a host",
    `${BASE}server: { hosts: ["https://gateway.example"] }`,
    'connect-rest.yaml:3:19: server.hosts[0]: expected a host name or an IP address without a port, *.example.com, or "*"; it is "https://gateway.example"',
  ],
  [
    "a proxy given by name",
    `${BASE}server: { proxies: { trusted: [proxy.internal] } }`,
    'connect-rest.yaml:3:32: server.proxies.trusted[0]: expected an IP address or network, e.g. 10.0.0.0/8; it is "proxy.internal"',
  ],
  [
    "an invalid network",
    `${BASE}server: { proxies: { trusted: [10.0.0.0/33] } }`,
    'connect-rest.yaml:3:32: server.proxies.trusted[0]: expected an IP address or network, e.g. 10.0.0.0/8; it is "10.0.0.0/33"',
  ],
  [
    "an unknown proxy header",
    `${BASE}server: { proxies: { trusted: [10.0.0.1], header: x-real-ip } }`,
    'connect-rest.yaml:3:51: server.proxies.header: expected one of "x-forwarded"|"forwarded"; it is "x-real-ip"',
  ],
  [
    "a certificate without a key",
    `${BASE}server: { tls: { certificate: a.crt } }`,
    "connect-rest.yaml:3:16: server.tls.key: missing: expected string",
  ],
  [
    "a missing certificate file",
    `${BASE}server: { tls: { certificate: none.crt, key: b.key } }`,
    "connect-rest.yaml:3:16: server.tls: the certificate none.crt cannot be read: ENOENT: no such file or directory, open 'none.crt'",
  ],
  [
    "a certificate with the wrong key",
    `${BASE}server: { tls: { certificate: a.crt, key: b.key } }`,
    "connect-rest.yaml:3:16: server.tls: a.crt and b.key are no certificate and its key: error:05800074:x509 certificate routines::key values mismatch",
  ],
  [
    "an upstream without an address",
    `adapters: [${echo}]\nupstreams: { echo: { userAgent: me } }`,
    "connect-rest.yaml:2:20: upstreams.echo: an upstream needs an address: baseUrl, or bases",
  ],
  [
    "an address without a scheme",
    `adapters: [${echo}]\nupstreams: { echo: { baseUrl: echo.example } }`,
    'connect-rest.yaml:2:31: upstreams.echo.baseUrl: expected an http or https address; it is "echo.example"',
  ],
  [
    "an address with a password",
    `adapters: [${echo}]\nupstreams: { echo: { baseUrl: 'https://me:hunter2@echo.example' } }`,
    'connect-rest.yaml:2:31: upstreams.echo.baseUrl: expected an address without user, query and fragment; secrets belong below credentials; it is "https://[secret]@echo.example"',
  ],
  [
    "an address with a key",
    `adapters: [${echo}]\nupstreams: { echo: { baseUrl: 'https://echo.example/?api_key=hunter2' } }`,
    'connect-rest.yaml:2:31: upstreams.echo.baseUrl: expected an address without user, query and fragment; secrets belong below credentials; it is "https://echo.example/?[secret]"',
  ],
  [
    "a proxy that is a string",
    upstream("proxy: 'http://proxy.example:3128'"),
    'connect-rest.yaml:3:51: upstreams.echo.proxy: expected settings, or false; it is "http://proxy.example:3128"',
  ],
  [
    "a proxy with a password in its address",
    upstream("proxy: { url: 'http://me:hunter2@proxy.example' }"),
    'connect-rest.yaml:3:58: upstreams.echo.proxy.url: expected an address without user, path and query; name places for username and password; it is "http://[secret]@proxy.example"',
  ],
  [
    "a proxy of an unsupported kind",
    upstream("proxy: { url: 'socks5://proxy.example' }"),
    'connect-rest.yaml:3:58: upstreams.echo.proxy.url: expected an http or https address, e.g. http://proxy.example:3128; it is "socks5://proxy.example"',
  ],
  [
    "a proxy password in the file",
    upstream("proxy: { url: 'http://p.example', password: hunter2 }"),
    "connect-rest.yaml:3:88: upstreams.echo.proxy.password: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
  ],
  [
    "a proxy password without a user name",
    upstream("proxy: { url: 'http://p.example', password: { env: SET } }"),
    "connect-rest.yaml:3:88: upstreams.echo.proxy.password: a password needs a username",
  ],
  [
    "an unset variable for a proxy user, and a missing file with authorities of the proxy",
    upstream("proxy: { url: 'https://p.example', username: { env: UNSET }, ca: none.pem }"),
    "connect-rest.yaml:3:89: upstreams.echo.proxy.username: the environment variable UNSET is not set",
    "connect-rest.yaml:3:109: upstreams.echo.proxy.ca: cannot be read: ENOENT: no such file or directory, open 'none.pem'",
  ],
  [
    "a missing file with authorities",
    upstream("tls: { ca: none.pem }"),
    "connect-rest.yaml:3:55: upstreams.echo.tls.ca: cannot be read: ENOENT: no such file or directory, open 'none.pem'",
  ],
  [
    "a file without authorities",
    upstream("tls: { ca: b.key }"),
    "connect-rest.yaml:3:55: upstreams.echo.tls.ca: b.key has no certificate in PEM",
  ],
  [
    "a client certificate without a key",
    upstream("tls: { certificate: a.crt }"),
    "connect-rest.yaml:3:49: upstreams.echo.tls: certificate and key belong together: name both, or neither",
  ],
  [
    "a client certificate with the wrong key",
    upstream("tls: { certificate: a.crt, key: b.key }"),
    "connect-rest.yaml:3:49: upstreams.echo.tls: a.crt and b.key are no certificate and its key: error:05800074:x509 certificate routines::key values mismatch",
  ],
  [
    "a client certificate in an unknown setting",
    upstream("tls: { cert: a.crt, key: b.key }"),
    "connect-rest.yaml:3:51: upstreams.echo.tls.cert: unknown setting. Known here: ca, certificate, key, serverName.",
  ],
  [
    "a misspelled upstream",
    `adapters: [${echo}]\nupstreams: { ecco: { baseUrl: 'https://echo.example' } }`,
    'connect-rest.yaml:2:12: upstreams: echo.v1.EchoService calls the upstream echo, which is not configured. Did you mean "ecco"?',
  ],
  [
    "a secret in the file",
    credentials("apiKey: hunter2"),
    "connect-rest.yaml:3:67: upstreams.echo.credentials.apiKey: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
  ],
  [
    "an environment variable that is not set",
    credentials("apiKey: { env: UNSET }"),
    "connect-rest.yaml:3:67: upstreams.echo.credentials.apiKey: the environment variable UNSET is not set",
  ],
  [
    "valid settings for a fetched token",
    credentials(
      "oauth2: { tokenUrl: 'https://id.example/token', clientId: me, clientSecret: { env: SET }, clientAuthentication: body, scope: a b, parameters: { audience: x } }",
    ),
  ],
  [
    "valid settings for a fetched token, with the client ID in a variable",
    credentials(
      "oauth2: { tokenUrl: 'http://localhost:9/token', clientId: { env: SET }, refreshToken: { env: SET } }",
    ),
  ],
  [
    "OAuth 2 without a token or a token endpoint",
    credentials("oauth2: {}"),
    "connect-rest.yaml:3:67: upstreams.echo.credentials.oauth2: name accessToken, or tokenUrl",
  ],
  [
    "both a fixed and a fetched token",
    credentials(
      "oauth2: { accessToken: { env: SET }, tokenUrl: 'https://id.example/token', clientId: me, clientSecret: { env: SET } }",
    ),
    "connect-rest.yaml:3:82: upstreams.echo.credentials.oauth2.accessToken: is fixed, or fetched by tokenUrl; name one of them",
  ],
  [
    "a client without a token endpoint",
    credentials("oauth2: { clientId: me, clientSecret: { env: SET } }"),
    "connect-rest.yaml:3:79: upstreams.echo.credentials.oauth2.clientId: is for tokens that are fetched; name tokenUrl as well",
  ],
  [
    "a token endpoint without a client",
    credentials("oauth2: { tokenUrl: 'https://id.example/token' }"),
    "connect-rest.yaml:3:67: upstreams.echo.credentials.oauth2: tokenUrl needs the client's ID (clientId)",
    "connect-rest.yaml:3:67: upstreams.echo.credentials.oauth2: tokenUrl needs the client's secret (clientSecret), or a person's refreshToken or tokenFile",
  ],
  [
    "two refresh tokens",
    credentials(
      "oauth2: { tokenUrl: 'https://id.example/token', clientId: me, refreshToken: { env: SET }, tokenFile: t.json }",
    ),
    "connect-rest.yaml:3:135: upstreams.echo.credentials.oauth2.refreshToken: is in the tokenFile; name one of them",
    "connect-rest.yaml:3:160: upstreams.echo.credentials.oauth2.tokenFile: there is no file t.json; it is written by: connect-rest upstream-login echo",
  ],
  [
    "a token endpoint without TLS",
    credentials("oauth2: { tokenUrl: 'http://id.example/token', clientId: me, clientSecret: { env: SET } }"),
    "connect-rest.yaml:3:79: upstreams.echo.credentials.oauth2.tokenUrl: expected an https address without user and fragment (http on localhost, 127.0.0.1 and [::1] alone)",
  ],
  [
    "a password in the URL of a token endpoint",
    credentials(
      "oauth2: { tokenUrl: 'https://me:hunter2@id.example', clientId: me, clientSecret: { env: SET } }",
    ),
    "connect-rest.yaml:3:79: upstreams.echo.credentials.oauth2.tokenUrl: expected an https address without user and fragment (http on localhost, 127.0.0.1 and [::1] alone)",
  ],
  [
    "a client secret in the file, and an invalid client ID",
    credentials("oauth2: { tokenUrl: 'https://id.example', clientId: 5, clientSecret: hunter2 }"),
    "connect-rest.yaml:3:111: upstreams.echo.credentials.oauth2.clientId: expected the client's ID, or its place: { file: PATH } or { env: NAME }",
    "connect-rest.yaml:3:128: upstreams.echo.credentials.oauth2.clientSecret: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
  ],
  [
    "an unknown way to send the client secret",
    credentials(
      "oauth2: { tokenUrl: 'https://id.example', clientId: me, clientSecret: { env: SET }, clientAuthentication: jwt }",
    ),
    'connect-rest.yaml:3:165: upstreams.echo.credentials.oauth2.clientAuthentication: expected one of "basic"|"body"',
  ],
  [
    "a missing token file",
    credentials("oauth2: { tokenUrl: 'https://id.example', clientId: me, tokenFile: none.json }"),
    "connect-rest.yaml:3:126: upstreams.echo.credentials.oauth2.tokenFile: there is no file none.json; it is written by: connect-rest upstream-login echo",
  ],
  [
    "a token file that other users may read",
    credentials("oauth2: { tokenUrl: 'https://id.example', clientId: me, tokenFile: b.key }"),
    "connect-rest.yaml:3:126: upstreams.echo.credentials.oauth2.tokenFile: others may read b.key; take its rights away (chmod 600), or write it anew by: connect-rest upstream-login echo",
  ],
  [
    "incomplete OAuth 1.0a credentials",
    credentials("oauth1: { consumerKey: { env: SET } }"),
    "connect-rest.yaml:3:67: upstreams.echo.credentials.oauth1.consumerSecret: missing: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
  ],
  [
    "an API key of both the gateway and the callers",
    credentials("apiKey: { env: SET }, passThrough: { apiKey: { header: x-key } }"),
    "connect-rest.yaml:3:94: upstreams.echo.credentials.passThrough: apiKey is configured as well; it is either the gateway's or the caller's",
  ],
  [
    "OAuth 1.0a tokens of callers without a client",
    credentials("passThrough: { oauth1: { token: { header: x-t }, tokenSecret: { header: x-s } } }"),
    "connect-rest.yaml:3:72: upstreams.echo.credentials.passThrough: oauth1 needs the client's own: set credentials.oauth1.consumerKey and consumerSecret",
  ],
  [
    "a reserved header",
    credentials("passThrough: { apiKey: { header: Content-Type } }"),
    "connect-rest.yaml:3:92: upstreams.echo.credentials.passThrough.apiKey.header: this header means something else; name one of your own, e.g. x-api-token, or authorization",
  ],
  [
    "the same header for two upstreams",
    `adapters: [${echo}]\nupstreams:\n  echo: { baseUrl: 'https://e.example', credentials: { passThrough: { apiKey: { header: x-key } } } }\n  other: { baseUrl: 'https://o.example', credentials: { passThrough: { oauth2: { header: X-Key } } } }`,
    "connect-rest.yaml:4:70: upstreams.other.credentials.passThrough: the header x-key goes to the upstream echo already; a caller's credentials go to one alone",
  ],
  [
    "an unknown service",
    `${BASE}routes: { include: [echo.v1.EcoService] }`,
    'connect-rest.yaml:3:21: routes.include[0]: no adapter has the service echo.v1.EcoService. Did you mean "echo.v1.EchoService"?',
  ],
  [
    "an unknown method",
    `${BASE}routes: { exclude: [echo.v1.EchoService/Eko] }`,
    'connect-rest.yaml:3:21: routes.exclude[0]: no adapter has the method echo.v1.EchoService/Eko. Did you mean "echo.v1.EchoService/Echo"?',
  ],
  ["a valid bus", BUS("key: { env: KEY }, previousKey: { env: KEY }, password: { env: SET }")],
  [
    "a bus URL with another scheme",
    `${BASE}bus: { url: 'http://redis.example' }`,
    'connect-rest.yaml:3:13: bus.url: expected an address of Redis, e.g. rediss://redis.example:6379; it is "http://redis.example"',
  ],
  [
    "a password in a bus URL",
    `${BASE}bus: { url: 'redis://me:hunter2@redis.example' }`,
    'connect-rest.yaml:3:13: bus.url: expected an address without user, password and query: redis://host:port/database; name places for username and password; it is "redis://[secret]@redis.example"',
  ],
  [
    "a bus without a key for resume tokens",
    `${BASE}bus: { url: 'redis://redis.example' }`,
    "connect-rest.yaml:3:6: bus: processes share feeds where they have the same watch.resumeKey: set it as well",
  ],
  [
    "TLS settings for a bus URL without TLS",
    BUS("tls: { ca: a.crt }"),
    "connect-rest.yaml:4:48: bus.tls: TLS needs an address with rediss:",
  ],
  [
    "a bus user without a password, and a bus key that is too short",
    BUS("username: { env: SET }, key: { env: SET }"),
    "connect-rest.yaml:4:53: bus.username: a user needs a password",
    "connect-rest.yaml:4:72: bus.key: expected a key of at least 32 characters, e.g. of openssl rand -hex 32; it has 5",
  ],
  [
    "a bus secret in the file",
    BUS("password: hunter2"),
    "connect-rest.yaml:4:53: bus.password: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
  ],
  [
    "a previous key without a current key",
    `${BASE}watch: { previousResumeKey: { env: KEY } }`,
    "connect-rest.yaml:3:29: watch.previousResumeKey: a previous key needs one that is used now: resumeKey",
  ],
  [
    "a word in place of true",
    `${BASE}strict: yes please`,
    'connect-rest.yaml:3:9: strict: expected boolean; it is "yes please"',
  ],
  [
    "tools with names of no method",
    `${BASE}mcp: { methods: [echo.v1.EchoServce], exclude: ["*"], listed: [echo.v1.EchoService/Ech] }`,
    'connect-rest.yaml:3:18: mcp.methods[0]: no method that is served has this name. Did you mean "echo.v1.EchoService"?',
    'connect-rest.yaml:3:64: mcp.listed[0]: no method that is served has this name. Did you mean "echo.v1.EchoService/Echo"?',
  ],
  [
    "a recording of a method that is not served",
    `${BASE}record: { file: a.har, methods: [echo.v1.*, other.v1.*] }`,
    "connect-rest.yaml:3:45: record.methods[1]: no method that is served has this name.",
  ],
  [
    "strict with a contradictory level",
    `${BASE}strict: true\ndifferences: { lost: log }`,
    "connect-rest.yaml:4:22: differences.lost: expected `fail`, since `strict` is set; remove one of them, got `log`",
  ],
  [
    "a word in place of false",
    `${BASE}webAssembly: off`,
    'connect-rest.yaml:3:14: webAssembly: expected boolean; it is "off"',
  ],
  [
    "an unknown level",
    `${BASE}log: { level: verbose }`,
    'connect-rest.yaml:3:15: log.level: expected one of "trace"|"debug"|"info"|"warn"|"error"|"silent"; it is "verbose"',
  ],
];

test.each(MISTAKES)(
  "check-config reports the problems in a configuration with %s",
  async (_name, text, ...problems) => {
    const found = await problemsOf(text);
    expect(found).toEqual(problems);
    expect(found.join()).not.toContain("hunter2");
  },
);

test("the table has more than 25 mistakes", () => {
  expect(MISTAKES.length).toBeGreaterThan(25);
});

/** Independent mistakes, each in a separate section: the line, and the reported problem. */
const APART: readonly (readonly [section: string, problem: RegExp])[] = [
  ["sever: { port: 1 }", /: sever: unknown setting/],
  ["log: { level: verbose }", /: log\.level: expected one of/],
  ["strict: yes please", /: strict: expected boolean/],
  ["routes: { exclude: [echo.v1.EchoService/Eko] }", /: routes\.exclude\[0\]: no adapter has the method/],
  [
    "server: { tls: { certificate: none.crt, key: none.key }, port: -1, host: 0.0.0.0 }",
    /: server\.tls: the certificate none\.crt cannot be read/,
  ],
  [
    "differences: { lost: never, methods: { 'echo.v2.*': { lost: fail } } }",
    /: differences\.methods\.echo\.v2\.\*: expected `echo\.v1\.\*`, got a name that no adapter has/,
  ],
  [
    "upstreams: { echo: { baseUrl: 'https://e.example', retry: { attempts: 99 }, credentials: { apiKey: { env: UNSET } } } }",
    /: upstreams\.echo\.credentials\.apiKey: the environment variable UNSET is not set/,
  ],
];

/** Addresses that are invalid for different reasons, and mistakes in other settings of the upstream. */
const ADDRESSES = [
  "baseUrl: nonsense",
  "baseUrl: 7",
  "baseUrl: 'https://u:p@e.example'",
  "baseUrl: 'ftp://e.example'",
  "bases: { a: nonsense }",
  "bases: {}",
  "bases: { a: 7, b: [] }",
  "",
];
const BESIDE = [
  ["tls: { ca: none.pem }", /upstreams\.echo\.tls\.ca: .*none\.pem/],
  ["tls: { certificate: none.crt, key: none.key }", /upstreams\.echo\.tls\.certificate: .*none\.crt/],
  ["retry: { attempts: 99 }", /upstreams\.echo\.retry\.attempts: /],
  ["credentials: { apiKey: { env: UNSET } }", /upstreams\.echo\.credentials\.apiKey: .* UNSET is not set/],
] as const;

test.each(ADDRESSES)(
  "one run reports both the invalid address {%s} and the mistakes in the upstream's other settings",
  async (address) => {
    for (const [setting, problem] of BESIDE) {
      const settings = [address, setting].filter((text) => text !== "").join(", ");
      const found = await problemsOf(`adapters: [${echo}]\nupstreams: { echo: { ${settings} } }`);
      expect(
        found.filter((line) => problem.test(line)),
        found.join("\n"),
      ).toHaveLength(1);
      expect(
        found.filter((line) => /: upstreams\.echo(?:\.base\w+(?:\.\w+)?)?: /.test(line)).length,
      ).toBeGreaterThan(0);
      expect(found.join("\n")).not.toContain("address.invalid");
    }
  },
);

test("for any combination of mistakes, each mistake is reported", async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray([...APART], { minLength: 1 }), async (mistakes) => {
      const sections = mistakes.map(([section]) => section);
      const hasUpstreams = sections.some((section) => section.startsWith("upstreams:"));
      const upstreams = hasUpstreams ? [] : ["upstreams: { echo: { baseUrl: 'https://e.example' } }"];
      const found = await problemsOf([`adapters: [${echo}]`, ...upstreams, ...sections].join("\n"));
      for (const [, problem] of mistakes) expect(found.filter((line) => problem.test(line))).toHaveLength(1);
      // Some sections have additional mistakes, which the schema reports: a port, a host without names, a
      // level, a number.
      const further = { server: 2, differences: 1, upstreams: 1 };
      const count = sections.reduce(
        (sum, section) => sum + (further[section.split(":", 1)[0] as keyof typeof further] ?? 0),
        0,
      );
      expect(found).toHaveLength(mistakes.length + count);
    }),
    { numRuns: 60 },
  );
});

test("a file that cannot be read does not hide problems in environment variables", async () => {
  const error = await prepare("none.yaml", { GATEWAY_PORT: "x" }).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/GATEWAY_PORT: expected a port.*\n.*none\.yaml: cannot be read/);
});

test("settings that the runtime rejects are reported as configuration problems", async () => {
  expect(await problemsOf(upstream('userAgent: "a\\nb"'))).toEqual([
    expect.stringMatching(/: upstreams: .*userAgent/),
  ]);
});

test("invalid proxies in environment variables are reported without their values", async () => {
  const env = { https_proxy: "socks5://me:hunter2@proxy.example", HTTP_PROXY: "http://me:hunter2@[" };
  const expected = "expected an http or https address, e.g. http://proxy.example:3128, got";
  expect(await problemsOf(BASE, env)).toEqual([
    `environment: https_proxy: ${expected} the scheme socks5:`,
    `environment: HTTP_PROXY: ${expected} something else`,
  ]);
});
