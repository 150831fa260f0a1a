import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Run, runCli } from "../testing/child.ts";

const testing = path.resolve(import.meta.dirname, "../testing");
const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-signals-"));
const file = path.join(directory, "connect-rest.yaml");

let upstream: http.Server;
let baseUrl = "";
let received: http.IncomingHttpHeaders = {};
beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received = request.headers;
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
  rmSync(directory, { recursive: true });
});

const RUNS: Run[] = [];
afterEach(() => {
  for (const run of RUNS.splice(0)) run.process.kill("SIGKILL");
});

/** Writes a module next to the configuration. */
function writeModule(name: string, text: string): void {
  writeFileSync(path.join(directory, name), text);
}

interface Settings {
  readonly limits?: string;
  readonly level?: string;
  readonly adapters?: string;
  readonly upstream?: string;
}

function configure(settings: Settings): void {
  const { level = "info", adapters = `${testing}/echo-rest.ts`, upstream: more = "" } = settings;
  const { limits = "drainNoticeMs: 1" } = settings;
  const credentials = "credentials: { apiKey: { file: key } }";
  writeFileSync(
    file,
    `adapters: [${adapters}]
upstreams: { echo: { baseUrl: "${baseUrl}", ${credentials}, ${more} } }
server: { limits: { ${limits} } }
log: { level: ${level} }
`,
  );
}

function setKey(key: string): void {
  writeFileSync(path.join(directory, "key"), key);
}

async function serve(): Promise<{ run: Run; url: string }> {
  const run = runCli(["serve"], directory);
  RUNS.push(run);
  return { run, url: (await run.line(/^gateway ready on /)).replace("gateway ready on ", "") };
}

/** Waits for a log line with this message, after the first `after` such lines. */
async function logLine(run: Run, msg: string, after = 0): Promise<Record<string, unknown>> {
  const find = () =>
    run
      .output()
      .stderr.split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.msg === msg)[after];
  for (;;) {
    const line = find();
    if (line !== undefined) return line;
    await new Promise((resolve) => run.process.stderr?.once("data", resolve));
  }
}

function echo(url: string): Promise<Response> {
  return fetch(`${url}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
}

test("SIGHUP applies the log level, credentials and limits, and reports settings that need a restart", async () => {
  setKey("one");
  configure({});
  const { run, url } = await serve();
  await echo(url);
  expect(received["x-api-key"]).toBe("one");
  setKey("two");
  configure({
    level: "debug",
    limits: "urlBytes: 64, headerBytes: 20000, drainNoticeMs: 1",
    upstream: "callsInFlight: 7",
  });
  run.process.kill("SIGHUP");
  expect(await logLine(run, "configuration reloaded")).toMatchObject({
    level: "info",
    settings: ["log.level", "server.limits.urlBytes"],
  });
  expect(await logLine(run, "these settings count after a restart only")).toMatchObject({
    level: "warn",
    settings: ["server.limits.headerBytes", "upstreams.echo.callsInFlight"],
  });
  await echo(url);
  expect(received["x-api-key"]).toBe("two");
  expect((await fetch(`${url}/${"x".repeat(100)}`)).status).toBe(414);
});

test("reloading an invalid configuration changes nothing, and reloading a valid configuration later applies it", async () => {
  setKey("one");
  configure({});
  const { run, url } = await serve();
  configure({ level: "loud", limits: "urlBytes: -1" });
  rmSync(path.join(directory, "key"));
  run.process.kill("SIGHUP");
  const { level, problems } = await logLine(run, "configuration not reloaded, the one before is kept");
  expect(level).toBe("error");
  expect(problems).toEqual([
    expect.stringContaining("server.limits.urlBytes"),
    expect.stringContaining("log.level"),
    expect.stringContaining("apiKey: ENOENT"),
  ]);
  await echo(url);
  expect(received["x-api-key"]).toBe("one");
  setKey("three");
  configure({ limits: "urlBytes: 64" });
  run.process.kill("SIGHUP");
  await logLine(run, "configuration reloaded");
  await echo(url);
  expect(received["x-api-key"]).toBe("three");
});

test("a SIGHUP that arrives before the gateway is ready does not end the process, and the configuration is reloaded once the gateway is ready", async () => {
  setKey("one");
  writeModule(
    "hup.ts",
    `export * from "${testing}/echo-rest.ts";\nif (!globalThis.told) process.kill(process.pid, "SIGHUP");\nglobalThis.told = true;\n`,
  );
  configure({ adapters: "./hup.ts" });
  const { run, url } = await serve();
  await logLine(run, "configuration reloaded");
  expect((await echo(url)).status).toBe(200);
});

test.each(["SIGUSR1", "SIGUSR2"] as const)(
  "%s opens no debugger and does not end the process",
  async (signal) => {
    setKey("one");
    configure({});
    const { run, url } = await serve();
    run.process.kill(signal);
    expect((await echo(url)).status).toBe(200);
    run.process.kill("SIGTERM");
    expect(await run.exit).toBe(0);
    expect(run.output().stderr).not.toContain("ebugger");
  },
);

test("after SIGTERM, readiness fails while the gateway serves calls for drainNoticeMs, and a second signal ends the process immediately", async () => {
  setKey("one");
  configure({ limits: "drainNoticeMs: 86400000, drainGraceMs: 86400000" });
  const { run, url } = await serve();
  run.process.kill("SIGTERM");
  await logLine(run, "draining; a second signal ends at once");
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await echo(url)).status).toBe(200);
  run.process.kill("SIGINT");
  expect(await run.exit).toBe(1);
});

test("SIGINT drains without waiting for drainNoticeMs", async () => {
  setKey("one");
  configure({ limits: "drainNoticeMs: 86400000" });
  const { run } = await serve();
  run.process.kill("SIGINT");
  expect(await run.exit).toBe(0);
});

test("earlier listeners for SIGTERM, such as a telemetry SDK's, run after the last call", async () => {
  setKey("one");
  writeModule(
    "sdk.ts",
    `export * from "${testing}/echo-rest.ts";
process.on("SIGTERM", async () => {
  process.stdout.write("shutting down\\n");
  await new Promise((resolve) => setImmediate(resolve));
  process.stderr.write('{"msg":"shut down"}\\n');
});
`,
  );
  configure({ adapters: "./sdk.ts" });
  const { run } = await serve();
  run.process.kill("SIGTERM");
  expect(await run.exit).toBe(0);
  const messages = run
    .output()
    .stderr.split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages).toEqual(["draining; a second signal ends at once", "drained", "shut down"]);
});
