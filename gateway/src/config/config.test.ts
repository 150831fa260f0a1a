import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { EchoServiceRest } from "../testing/echo-rest.ts";
import { loadAdapters } from "./adapters.ts";
import { checkUpstreams } from "./check-upstreams.ts";
import { parseYaml } from "./document.ts";
import { type Config, loadConfig } from "./load.ts";
import { ConfigError } from "./problems.ts";
import { resolveUpstreams } from "./secrets.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-"));
afterAll(() => rmSync(directory, { recursive: true }));

const echoModule = path.resolve(import.meta.dirname, "../testing/echo-rest.ts");
let count = 0;

/** Writes a file into the test's directory. */
function write(text: string, name = `c${count++}.yaml`): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

function load(text: string, env: Record<string, string> = {}): Config {
  return loadConfig(write(text), env);
}

/** Returns the lines of a ConfigError, without the directory. */
async function problems(work: () => unknown): Promise<string[]> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.message.replace(/[^\s:]*\/c\d+\.yaml/g, "FILE").split("\n");
    }
    throw error;
  }
  return [];
}

test("a valid configuration has a default for every setting except its adapters", () => {
  const config = load("adapters: [./a.ts]");
  expect(config).toMatchObject({
    adapters: ["./a.ts"],
    upstreams: {},
    server: { host: "127.0.0.1", port: 8080, limits: {} },
    routes: { exclude: [] },
    examples: {},
    strict: false,
    webAssembly: true,
    log: { level: "info" },
    directory,
  });
  expect(config.sandbox).toBeUndefined();
});

test("environment variables override settings of a valid configuration", () => {
  const config = load("adapters: [a]\nserver: {port: 1}\nsandbox: {module: s, port: 2}", {
    GATEWAY_PORT: "0",
    SANDBOX_PORT: "3",
  });
  expect([config.server.port, config.sandbox?.port]).toEqual([0, 3]);
});

test("the secrets of a valid configuration are read from files and the environment, and are not printed", () => {
  write("from-file\n", "secret");
  const config = load(
    [
      "adapters: [a]",
      "upstreams:",
      "  blog:",
      "    baseUrl: https://blog.example",
      "    credentials:",
      "      apiKey: { file: secret }",
      "      oauth2: { accessToken: { env: TOKEN } }",
      "      basic: { username: { env: USER_NAME }, password: { env: TOKEN } }",
    ].join("\n"),
  );
  const { blog } = resolveUpstreams(config, { TOKEN: "from-env", USER_NAME: "ada" });
  if (typeof blog?.credentials !== "object") throw new Error("no credentials");
  const { apiKey, oauth2, basic } = blog.credentials;
  if (oauth2 === undefined || !("accessToken" in oauth2)) throw new Error("no access token");
  expect(
    [apiKey, oauth2.accessToken, basic?.username, basic?.password].map(
      (secret) => typeof secret === "object" && secret.reveal(),
    ),
  ).toEqual(["from-file", "from-env", "ada", "from-env"]);
  expect(JSON.stringify(blog)).toContain("[secret]");
  expect(JSON.stringify(blog)).not.toMatch(/from-(?:file|env)/);
});

test("a sandbox overrides upstreams of a valid configuration, which then need no secrets", () => {
  const config = load(
    "adapters: [a]\nupstreams: {blog: {bases: {api: 'https://a.example'}, userAgent: u, credentials: {apiKey: {env: NONE}}}}",
  );
  const sandbox = { blog: { baseUrl: "http://127.0.0.1:1", credentials: { apiKey: "k" } } };
  expect(resolveUpstreams(config, {}, sandbox)).toEqual({
    blog: { userAgent: "u", baseUrl: "http://127.0.0.1:1", credentials: { apiKey: "k" } },
  });
});

test("a valid configuration loads its adapters without the excluded services", async () => {
  const adapters = await loadAdapters(load(`adapters: [${echoModule}]`));
  expect(adapters.map(({ service }) => service.typeName)).toEqual(["echo.v1.EchoService"]);
  const none = await loadAdapters(
    load(`adapters: [${echoModule}]\nroutes: {exclude: [echo.v1.EchoService]}`),
  );
  expect(none).toEqual([]);
});

test("one run reports every unknown setting, invalid value and missing value, with its position", async () => {
  const text = [
    "adaptors: [./a.ts]",
    "upstreams:",
    "  blog:",
    "    baseurl: https://x.example",
    "  events:",
    "    bases: { api: ftp://x.example }",
    "    credentials:",
    "      apiKey: hunter2",
    "      oauth1: { consumerKey: { env: A, file: b } }",
    "server:",
    "  port: 99999",
    "  limits: { readMaxByte: 1, urlBytes: many }",
    "log: { level: loud }",
    "strict: 1",
  ].join("\n");
  expect(await problems(() => load(text, { GATEWAY_PORT: "http" }))).toEqual([
    'environment: GATEWAY_PORT: expected a port from 0 to 65535; it is "http"',
    "FILE:1:1: adapters: missing: expected array",
    'FILE:1:1: adaptors: unknown setting. Did you mean "adapters"?',
    'FILE:4:5: upstreams.blog.baseurl: unknown setting. Did you mean "baseUrl"?',
    "FILE:4:5: upstreams.blog: an upstream needs an address: baseUrl, or bases",
    'FILE:6:19: upstreams.events.bases.api: expected an http or https address; it is "ftp://x.example"',
    "FILE:8:15: upstreams.events.credentials.apiKey: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
    "FILE:9:15: upstreams.events.credentials.oauth1.consumerSecret: missing: a secret does not stand in this file: write { file: PATH } or { env: NAME }",
    "FILE:9:30: upstreams.events.credentials.oauth1.consumerKey: name exactly one of file and env",
    "FILE:11:9: server.port: expected number to be <=65535; it is 99999",
    'FILE:12:13: server.limits.readMaxByte: unknown setting. Did you mean "readMaxBytes"?',
    'FILE:12:39: server.limits.urlBytes: expected number; it is "many"',
    'FILE:13:15: log.level: expected one of "trace"|"debug"|"info"|"warn"|"error"|"silent"; it is "loud"',
    "FILE:14:9: strict: expected boolean; it is 1",
  ]);
});

test("one run reports invalid YAML and duplicate keys, with their positions", async () => {
  expect(await problems(() => load("adapters: [a]\nadapters: [b]"))).toEqual([
    "FILE:2:1: yaml: Map keys must be unique",
  ]);
  expect(await problems(() => load("a: [1"))).toHaveLength(1);
  expect(await problems(() => load("adapters: [*none]"))).toEqual([
    "FILE:1:1: yaml: Unresolved alias (the anchor must be set before the alias)",
  ]);
  const laughs = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (const [i, name] of ["b", "c", "d"].entries()) {
    laughs.push(`${name}: &${name} [${Array(10).fill(`*${"abc"[i]}`).join(", ")}]`);
  }
  expect(await problems(() => load(laughs.join("\n")))).toEqual([
    "FILE:1:1: yaml: Excessive alias count indicates a resource exhaustion attack",
  ]);
  expect(await problems(() => load("just text"))).toEqual(["FILE:1:1: expected object, received string"]);
  expect(await problems(() => load(""))).toEqual(["FILE:1:1: adapters: missing: expected array"]);
});

test("an upstream without an address is reported with its position", async () => {
  expect(await problems(() => load("adapters: [a]\nupstreams:\n  blog: {}"))).toEqual([
    "FILE:3:9: upstreams.blog: an upstream needs an address: baseUrl, or bases",
  ]);
});

test("invalid retry attempts and circuit breakers are reported with their positions", async () => {
  const config = (rest: string) =>
    load(`adapters: [a]\nupstreams:\n  a: { baseUrl: 'https://a.example', ${rest} }`);
  expect(await problems(() => config("retry: { attempts: 0, budget: 2, tries: 3 }"))).toEqual([
    "FILE:3:57: upstreams.a.retry.attempts: expected number to be >=1; it is 0",
    "FILE:3:68: upstreams.a.retry.budget: expected number to be <=1; it is 2",
    "FILE:3:71: upstreams.a.retry.tries: unknown setting. Known here: attempts, baseDelayMs, maxDelayMs, maxTotalDelayMs, budget.",
  ]);
  expect(await problems(() => config("breaker: true"))).toEqual([
    "FILE:3:47: upstreams.a.breaker: expected settings, or false; it is true",
  ]);
  expect(await problems(() => config("rateLimits: { share: 4 }"))).toEqual([
    "FILE:3:59: upstreams.a.rateLimits.share: expected number to be <=1; it is 4",
  ]);
  const { retry, breaker } = config("retry: false, breaker: { ratio: 0.9 }").upstreams.a ?? {};
  expect([retry, breaker]).toEqual([false, { ratio: 0.9 }]);
});

test("a missing configuration file is reported", async () => {
  expect(await problems(() => loadConfig("/no/such.yaml", {}))).toEqual([
    "/no/such.yaml: cannot be read: ENOENT: no such file or directory, open '/no/such.yaml'. Name another file with --config FILE",
  ]);
});

test("secrets that cannot be read are reported with their positions", async () => {
  write("\n", "empty");
  const config = load(
    [
      "adapters: [a]",
      "upstreams:",
      "  a: { baseUrl: 'https://a.example', credentials: { apiKey: { env: NOT_SET } } }",
      "  b: { baseUrl: 'https://a.example', credentials: { apiKey: { file: empty } } }",
    ].join("\n"),
  );
  expect(await problems(() => resolveUpstreams(config, {}))).toEqual([
    "FILE:3:61: upstreams.a.credentials.apiKey: the environment variable NOT_SET is not set",
    `FILE:4:61: upstreams.b.credentials.apiKey: the file ${directory}/empty is empty`,
  ]);
});

test("adapters that cannot be loaded, are invalid, or occur twice are reported with their positions", async () => {
  const none = path.resolve(import.meta.dirname, "document.ts");
  const config = load(
    `adapters:\n  - ./none.ts\n  - no-such-package\n  - ${none}\n  - ${echoModule}\n  - ${echoModule}\nroutes: {exclude: [echo.v1.EchoServic]}`,
  );
  const found = await problems(() => loadAdapters(config));
  expect(found[0]).toBe(
    `FILE:2:5: adapters[0]: ./none.ts cannot be loaded: there is no file ${directory}/none.ts`,
  );
  expect(found[1]).toMatch(/^FILE:3:5: adapters\[1\]: no-such-package cannot be loaded: Cannot find module/);
  expect(found.slice(-3)).toEqual([
    `FILE:4:5: adapters[2]: ${none} exports no adapter; expected a module of the generator`,
    `FILE:6:5: adapters[4]: ${echoModule} has an adapter for echo.v1.EchoService, and so has a module before it`,
    'FILE:7:20: routes.exclude[0]: no adapter has the service echo.v1.EchoServic. Did you mean "echo.v1.EchoService"?',
  ]);
});

test.each([
  ["a_pb", "; generate messages and adapters with the same target, and with import_extension=ts or js"],
  ["a_pb.ts", "; generate messages and adapters with the same target, and with import_extension=ts or js"],
  ["other.ts", ""],
])("an adapter that cannot find %s is reported with its position", async (name, hint) => {
  const file = `no-${name}-rest.mjs`;
  write(`import "./${name}";\n`, file);
  const [found = ""] = await problems(() => loadAdapters(load(`adapters: [./${file}]`)));
  const [, module, rest] =
    /cannot be loaded: Cannot find module '(.*)' imported from (.*)$/.exec(found) ?? [];
  expect([path.basename(module ?? ""), rest]).toEqual([name, `${directory}/${file}${hint}`]);
});

test("a base address that an adapter uses and the configuration lacks is reported with its position", async () => {
  const { echo } = EchoServiceRest.methods;
  if (echo === undefined) throw new Error("no adapter");
  const web = { ...echo, rules: { ...echo.rules, base: "web" } };
  const adapters = [{ ...EchoServiceRest, methods: { echo: web } }];
  const found = (addresses: string) => {
    const config = load(`adapters: [a]\nupstreams:\n  echo: { ${addresses} }`);
    return problems(() => checkUpstreams(config, adapters, config.upstreams));
  };
  expect(await found("bases: { api: 'https://e.example' }")).toEqual([
    "FILE:3:3: upstreams: echo.v1.EchoService uses the base URL web of echo, which is not configured",
  ]);
  // without a configured base, the runtime sends the call to baseUrl
  expect(await found("baseUrl: 'https://e.example'")).toEqual([]);
  expect(await found("bases: { web: 'https://e.example' }")).toEqual([]);
  expect(await found("baseUrl: 'https://e.example', bases: { api: 'https://a.example' }")).toEqual([]);
});

test("an upstream that an adapter calls and the configuration lacks is reported with its position", async () => {
  const config = load(`adapters: [${echoModule}]\nupstreams:\n  ecco: {baseUrl: 'https://e.example'}`);
  const adapters = await loadAdapters(config);
  expect(await problems(() => checkUpstreams(config, adapters, config.upstreams))).toEqual([
    'FILE:3:3: upstreams: echo.v1.EchoService calls the upstream echo, which is not configured. Did you mean "ecco"?',
  ]);
});

test("for any file contents, the loader throws only ConfigError", () => {
  const yaml = fc.oneof(
    fc.string(),
    fc.json(),
    fc.object().map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(yaml, (text) => {
      try {
        load(text);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(error.problems.length).toBeGreaterThan(0);
      }
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("the position of a missing setting is the position of its nearest existing parent", () => {
  const yaml = parseYaml("a:\n  b: 1\n");
  expect(yaml.positionOf(["a", "b"])).toEqual({ line: 2, column: 6 });
  expect(yaml.positionOf(["a", "x", "y"])).toEqual({ line: 2, column: 3 });
  expect(yaml.positionOfKey(["a"], "b")).toEqual({ line: 2, column: 3 });
});
