/** Starts the gateway and the sandbox of the Compose file from the content of their images. */
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  POSTGRES_PROGRAMS,
  startPostgres,
  type TestPostgres,
} from "../../authorization/src/testing/postgres.ts";
import { runCli } from "../../gateway/src/testing/child.ts";
import { type Collector, startCollector } from "../../gateway/src/testing/collector.ts";
import { NO_REDIS, startRedis, type TestRedis } from "../../gateway/src/testing/redis.ts";
import { blocksBelow } from "../docs/blocks.ts";
import { run } from "../docs/shell.ts";
import {
  buildImages,
  bytesIn,
  type Container,
  freePorts,
  type Images,
  setSecret,
  startImage,
  writeSecrets,
} from "./containers.ts";
import { parseExposition } from "./exposition.ts";
import { ROOT, readCompose, textOf } from "./files.ts";
import { dashboardQueries } from "./monitoring.ts";
import { readQuery } from "./promql.ts";

const MISSING = POSTGRES_PROGRAMS === undefined ? "PostgreSQL is not installed" : NO_REDIS;
const TIMEOUT_MS = 240_000;

/** Metrics that a gateway has only with some settings. */
const CONDITIONAL = ["connect_rest_worker_restarts_total"];

const MEBIBYTE = 1024 * 1024;

let images: Images;
let postgres: TestPostgres;
let redis: TestRedis;
let collector: Collector;
let sandbox: Container;
let gateway: Container;
let url = "";
let metricsUrl = "";
let secrets = "";

beforeAll(async () => {
  if (MISSING !== undefined) return;
  images = await buildImages(["gateway", "sandbox"]);
  secrets = writeSecrets(images.folder);
  postgres = await startPostgres();
  // The gateway runs as another user, which must reach the socket.
  chmodSync(new URL(postgres.url).searchParams.get("host") ?? "", 0o755);
  const [option = "", password = ""] = readFileSync(path.join(secrets, "redis-conf"), "utf8").split(/\s/);
  redis = await startRedis([`--${option}`, password]);
  collector = await startCollector();
  const [port, sandboxPort, metricsPort] = await freePorts(3);
  const replace = (text: string) =>
    text
      .replaceAll("/app/", `${images.of("gateway")}/`)
      .replaceAll("/etc/connect-rest/", `${images.folder}/`)
      .replaceAll("/run/secrets/", `${secrets}/`)
      .replaceAll("redis://redis:6379", `redis://127.0.0.1:${redis.port}`)
      .replaceAll("http://collector:4318", collector.url)
      .replaceAll(/:8080\b/g, `:${port}`)
      .replaceAll(/:8081\b/g, `:${sandboxPort}`);
  setSecret(secrets, "store-url", postgres.url);
  const configuration = replace(textOf("compose/connect-rest.yaml")).replace(
    "metrics: { host: 0.0.0.0 }",
    `metrics: { host: 0.0.0.0, port: ${metricsPort} }`,
  );
  writeFileSync(path.join(images.folder, "connect-rest.yaml"), configuration);
  const { services } = readCompose();
  sandbox = startImage(images, "sandbox", {
    command: services.sandbox?.command,
    environment: { ...services.sandbox?.environment, SANDBOX_PORT: String(sandboxPort) },
    replace,
  });
  gateway = startImage(images, "gateway", {
    environment: { ...services.gateway?.environment, GATEWAY_PORT: String(port) },
    replace,
  });
  url = `http://127.0.0.1:${port}`;
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  await sandbox.line(/^sandbox ready on /m);
  await gateway.line(/^gateway ready on /m);
}, TIMEOUT_MS);

afterAll(async () => {
  for (const container of [gateway, sandbox]) container?.process.kill("SIGKILL");
  collector?.close();
  await redis?.close();
  await postgres?.remove();
  images?.remove();
});

/** Returns an access token for the client of the configuration. */
async function token(): Promise<string> {
  const secret = readFileSync(path.join(secrets, "client-secret"), "utf8");
  const response = await fetch(`${url}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`example:${secret}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "read" }),
  });
  const { access_token: accessToken } = (await response.json()) as { readonly access_token: string };
  return accessToken;
}

function call(method: string, message: string, accessToken: string): Promise<Response> {
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
  return fetch(`${url}/${method}`, { method: "POST", headers, body: message });
}

test.skipIf(MISSING)("the images are small, and contain neither tests, maps nor types", () => {
  for (const name of ["gateway", "sandbox"]) {
    const files = readdirSync(images.of(name), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.test\.|\.map$|\.d\.[cm]?ts$/.test(file))).toEqual([]);
  }
  expect(bytesIn(images.of("gateway")) / MEBIBYTE).toBeLessThan(50);
  expect(bytesIn(images.of("sandbox")) / MEBIBYTE).toBeLessThan(5);
});

test.skipIf(MISSING)("a client of the configuration calls methods of both upstreams", async () => {
  const accessToken = await token();
  const response = await call("blog.v1.BlogService/GetBlogInfo", '{"blogIdentifier":"demo"}', accessToken);
  expect(await response.json()).toMatchObject({ blog: { name: "demo" } });
  const events = await call("events.v1.EventService/ListPublicEvents", '{"perPage":3}', accessToken);
  expect(await events.json()).toHaveProperty("events");
  expect((await call("blog.v1.BlogService/GetBlogInfo", "{}", "invalid")).status).toBe(401);
});

test.skipIf(MISSING)("the commands of the page sign in the client, and call a method", async () => {
  const page = readFileSync(path.join(ROOT, "docs/deploy.md"), "utf8");
  const block = blocksBelow(page, "## Compose").find(({ text }) => text.includes("connect-rest login"));
  const commands = (block?.text ?? "")
    .replaceAll("http://127.0.0.1:8080", url)
    .replaceAll("deploy/compose/secrets/", `${secrets}/`);
  const home = `export HOME='${images.folder}' XDG_CONFIG_HOME='${images.folder}'\n`;
  const { status, stdout, stderr } = await run(home + commands, ROOT);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toContain('"name": "demo"');
});

test.skipIf(MISSING)("the health checks of both images succeed", async () => {
  expect(await gateway.health(), gateway.output()).toBe(0);
  expect(await sandbox.health(), sandbox.output()).toBe(0);
});

test.skipIf(MISSING)("the gateway reaches Redis, and exports every metric of the dashboard", async () => {
  const text = await (await fetch(metricsUrl)).text();
  expect(text).toContain("\nconnect_rest_bus_connected 1\n");
  const exported = parseExposition(text);
  const used = new Set(
    dashboardQueries().flatMap(({ query }) => readQuery(query).map(({ metric }) => metric)),
  );
  expect([...used].filter((metric) => !exported.has(metric)).toSorted()).toEqual(CONDITIONAL);
});

test.skipIf(MISSING)("check-config accepts the configuration", async () => {
  const file = path.join(images.folder, "connect-rest.yaml");
  const { environment = {} } = readCompose().services.gateway ?? {};
  const check = runCli(["check-config", "--config", file], images.folder, environment);
  expect(await check.exit, check.output().stderr).toBe(0);
});

test.skipIf(MISSING)(
  "the gateway drains on SIGTERM: readiness fails, calls succeed, spans arrive",
  {
    timeout: 60_000,
  },
  async () => {
    const accessToken = await token();
    gateway.process.kill("SIGTERM");
    await gateway.line(/draining/);
    expect(await gateway.health()).toBe(1);
    const response = await call("blog.v1.BlogService/GetBlogInfo", '{"blogIdentifier":"demo"}', accessToken);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(await gateway.exit, gateway.output()).toBe(0);
    expect(collector.spans.map(({ service }) => service)).toContain("connect-rest-gateway");
  },
);

test.skipIf(MISSING)("the sandbox ends on SIGTERM", async () => {
  sandbox.process.kill("SIGTERM");
  if (sandbox.process.exitCode === null) await once(sandbox.process, "exit");
  expect(await sandbox.exit).toBe(0);
});
