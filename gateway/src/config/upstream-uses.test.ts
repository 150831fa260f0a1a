import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ServiceAdapter } from "connect-rest-runtime";
import type { CredentialKind } from "connect-rest-runtime/internal";
import { afterAll, expect, test } from "vitest";
import { EchoServiceRest } from "../testing/echo-rest.ts";
import { loadConfig } from "./load.ts";
import { formatProblem } from "./problems.ts";
import { usesOf, warningsOf } from "./upstream-uses.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-uses-"));
afterAll(() => rmSync(directory, { recursive: true }));

function load(upstreams: string, rest = "") {
  const file = path.join(directory, "connect-rest.yaml");
  writeFileSync(file, `adapters: [a]\nupstreams: ${upstreams}\n${rest}`);
  return loadConfig(file, {});
}

/** Returns the adapter of the echo service with other required credentials. */
function needing(...credentials: CredentialKind[]): ServiceAdapter {
  const { echo } = EchoServiceRest.methods;
  if (echo === undefined) throw new Error("the adapter has no method");
  return { ...EchoServiceRest, methods: { echo: { ...echo, rules: { ...echo.rules, credentials } } } };
}

const warnings = (upstreams: string, adapter: ServiceAdapter) =>
  warningsOf(load(upstreams), [adapter]).map((problem) => formatProblem({ ...problem, file: "FILE" }));

const echo = (credentials: string) =>
  `{ echo: { baseUrl: "https://e.example", credentials: ${credentials} } }`;
const SECRET = "{ env: X }";

test("a method without any of its required credentials causes a warning", () => {
  expect(warnings("{ echo: { baseUrl: https://e.example } }", needing("api_key", "oauth2"))).toEqual([
    "FILE:2:20: upstreams.echo: echo.v1.EchoService/Echo will fail: they need credentials (api_key, oauth2), and this upstream has none",
  ]);
  expect(
    warnings(echo(`{ oauth1: { consumerKey: ${SECRET}, consumerSecret: ${SECRET} } }`), needing("oauth1")),
  ).toEqual([
    "FILE:2:20: upstreams.echo: echo.v1.EchoService/Echo will fail: they need credentials (oauth1), and this upstream has oauth1_client",
  ]);
});

test.each<[CredentialKind[], string]>([
  [[], "{}"],
  [["api_key", "none"], "{}"],
  [["api_key"], `{ apiKey: ${SECRET} }`],
  [["api_key"], "{ passThrough: { apiKey: { header: x-key } } }"],
  [["oauth2"], `{ oauth2: { accessToken: ${SECRET} } }`],
  [["oauth1_client"], `{ oauth1: { consumerKey: ${SECRET}, consumerSecret: ${SECRET} } }`],
])("methods that require %j cause no warning with the credentials %s", (kinds, credentials) => {
  expect(warnings(echo(credentials), needing(...kinds))).toEqual([]);
});

test("method and default timeouts that exceed the maximum cause warnings", () => {
  const { echo } = EchoServiceRest.methods;
  if (echo === undefined) throw new Error("the adapter has no method");
  const slow = (timeoutMs: number): ServiceAdapter => ({
    ...EchoServiceRest,
    methods: { echo: { ...echo, rules: { ...echo.rules, timeoutMs } } },
  });
  const upstreams = '{ echo: { baseUrl: "https://e.example" } }';
  const textsOf = (timeoutMs: number, limits: string) =>
    warningsOf(load(upstreams, `server: { limits: ${limits} }`), [slow(timeoutMs)]).map((problem) =>
      formatProblem({ ...problem, file: "FILE" }),
    );
  expect(textsOf(3_600_000, "{}")).toEqual([]);
  expect(textsOf(3_600_001, "{}")).toEqual([
    expect.stringContaining(
      "echo.v1.EchoService/Echo has a timeout of 3600001 ms, which maxDeadlineMs cuts to 3600000 ms",
    ),
  ]);
  expect(textsOf(5_000, "{ maxDeadlineMs: 4000, streamDeadlineMs: 1000 }")).toEqual([
    "FILE:3:36: server.limits.maxDeadlineMs: unaryDeadlineMs is 15000 ms, which maxDeadlineMs cuts to 4000 ms",
    "FILE:3:36: server.limits.maxDeadlineMs: echo.v1.EchoService/Echo has a timeout of 5000 ms, which maxDeadlineMs cuts to 4000 ms",
  ]);
});

test("an upstream that no adapter calls causes a warning that suggests the most similar name", () => {
  const config = '{ ecko: { baseUrl: "https://e.example" } }';
  expect(warnings(config, EchoServiceRest)).toEqual([
    'FILE:2:20: upstreams.ecko: no adapter calls this upstream. Did you mean "echo"?',
  ]);
  expect(usesOf(load(config), [EchoServiceRest])).toEqual(["ecko: no service"]);
});

test.each<[string, readonly string[]]>([
  [
    "{ baseUrl: http://e.example, tls: { serverName: a } }",
    ["tls: has no effect: no address of this upstream is https"],
  ],
  [
    "{ baseUrl: http://localhost:1, proxy: { url: http://p.example } }",
    ["proxy: has no effect: this machine is always reached directly"],
  ],
  [
    "{ baseUrl: http://localhost:1, bases: { b: https://e.example }, proxy: { url: http://p.example }, tls: {} }",
    [],
  ],
  ["{ baseUrl: http://127.0.0.1:1, proxy: false }", []],
])("network settings without effect cause warnings: %s", (upstream, expected) => {
  const found = warnings(`{ echo: ${upstream} }`, needing());
  expect(found.map((text) => text.replace(/^FILE:\d+:\d+: upstreams\.echo\./, ""))).toEqual(expected);
});
