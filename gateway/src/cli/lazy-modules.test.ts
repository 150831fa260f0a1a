import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { runCli } from "../testing/child.ts";

const testing = path.resolve(import.meta.dirname, "../testing");
const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-lazy-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Records the loaded modules when the process writes that it is ready. */
const RECORDER = `
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
const modules = [];
registerHooks({
  load(url, context, next) {
    modules.push(url);
    return next(url, context);
  },
});
const write = process.stdout.write;
process.stdout.write = function (text, ...rest) {
  if (/ready on/.test(text)) writeFileSync("loaded.json", JSON.stringify({ modules, builtin: process.moduleLoadList }));
  return write.call(this, text, ...rest);
};
`;

/** The sources of the authorization package. */
const AUTHORIZATION = pathToFileURL(path.resolve(import.meta.dirname, "../../../authorization/src")).href;

interface Loaded {
  readonly modules: readonly string[];
  readonly builtin: readonly string[];
}

/** Returns the modules that a gateway with additional settings has loaded when it is ready. */
async function loadedWith(settings = ""): Promise<Loaded> {
  const recorder = path.join(directory, "recorder.mjs");
  writeFileSync(recorder, RECORDER);
  const upstreams = "upstreams: { echo: { baseUrl: http://127.0.0.1:9 } }";
  const adapters = `adapters: [${testing}/echo-rest.ts]`;
  writeFileSync(path.join(directory, "connect-rest.yaml"), [adapters, upstreams, settings].join("\n"));
  const run = runCli(["serve", "--port", "0"], directory, {
    NODE_OPTIONS: `--import ${pathToFileURL(recorder).href}`,
  });
  await run.line(/^gateway ready on /);
  run.process.kill("SIGINT");
  await run.exit;
  return JSON.parse(readFileSync(path.join(directory, "loaded.json"), "utf8")) as Loaded;
}

/** Packages that only some gateways need, or that are not needed before the first call. */
const LAZY_PACKAGES = [
  "@bufbuild/cel",
  "@bufbuild/re2",
  "@connectrpc/connect-node",
  "@modelcontextprotocol/server",
  "@opentelemetry/core",
  "@redis/client",
  "jose",
  "koa",
  "oidc-provider",
  "pg",
  "pino-pretty",
];

/** Files and folders of this repository that only some gateways need. */
const LAZY_FILES = [
  "authorization/src/index.ts",
  "gateway/src/mcp/endpoint.ts",
  "authorization/src/server/provider.ts",
  "authorization/src/sign-in/create-sign-in.ts",
  "authorization/src/store/postgres-store.ts",
  "authorization/src/store/sqlite-store.ts",
  "gateway/src/authorization/caller-authorization.ts",
  "gateway/src/bus/redis-bus.ts",
  "gateway/src/cli/login.ts",
  "gateway/src/cli/serve-by-workers.ts",
  "gateway/src/explain/explain-routes.ts",
  "gateway/src/gen/console/assets.ts",
  "gateway/src/gen/connectrest/explain/v1/explain_pb.ts",
  "gateway/src/protocol/constraints.ts",
  "gateway/src/rpc/inner-calls.ts",
  "gateway/src/reflection/file-index.ts",
  "gateway/src/workers/supervisor.ts",
  "runtime/src/oauth.ts",
];

/** Node.js modules that only some gateways need: the HTTP client for `fetch` and `Headers`, and SQLite. */
const LAZY_BUILTIN = ["internal/deps/undici/undici", "sqlite"];

function lazyOnes({ modules, builtin }: Loaded): string[] {
  return [
    ...LAZY_PACKAGES.filter((name) => modules.some((url) => url.includes(`/node_modules/${name}/`))),
    ...LAZY_FILES.filter((file) => modules.some((url) => url.endsWith(`/${file}`))),
    ...LAZY_BUILTIN.filter((name) => builtin.includes(`NativeModule ${name}`)),
  ];
}

test("a ready gateway has loaded no module that it may never need", async () => {
  const loaded = await loadedWith("server: { console: false }");
  expect(loaded.modules.some((url) => url.endsWith("/gateway/src/server.ts"))).toBe(true);
  expect(lazyOnes(loaded)).toEqual([]);
});

test("a gateway without authorization loads no module of the authorization package", async () => {
  const { modules } = await loadedWith();
  expect(modules.filter((url) => url.includes(AUTHORIZATION))).toEqual([]);
});

test("a gateway with authorization loads the authorization package and the configured store", async () => {
  const loaded = await loadedWith(`authorization: { publicUrl: "http://127.0.0.1:8080" }`);
  expect(lazyOnes(loaded)).toEqual([
    "jose",
    "koa",
    "oidc-provider",
    "authorization/src/index.ts",
    "authorization/src/server/provider.ts",
    "authorization/src/sign-in/create-sign-in.ts",
    "authorization/src/store/sqlite-store.ts",
    "gateway/src/authorization/caller-authorization.ts",
    "internal/deps/undici/undici",
    "sqlite",
  ]);
});

test.each([
  ["explains calls", "server: { console: false, explain: true }"],
  ["serves the console", ""],
])("a gateway that %s loads the service that explains calls, and not the page", async (_name, settings) => {
  expect(lazyOnes(await loadedWith(settings))).toEqual([
    "gateway/src/explain/explain-routes.ts",
    "gateway/src/gen/connectrest/explain/v1/explain_pb.ts",
    "gateway/src/rpc/inner-calls.ts",
  ]);
});

test("a gateway loads the modules for its configuration before it is ready", async () => {
  const settings = `server: { console: false }\nbus: { url: "redis://127.0.0.1:9" }\nwatch: { resumeKey: { env: RESUME_KEY } }`;
  process.env.RESUME_KEY = "0".repeat(64);
  try {
    expect(lazyOnes(await loadedWith(settings))).toEqual(["@redis/client", "gateway/src/bus/redis-bus.ts"]);
  } finally {
    delete process.env.RESUME_KEY;
  }
});
