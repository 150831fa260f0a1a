import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ConsoleState } from "../console/options.ts";
import { MAX_FAILURES } from "../console/recent-failures.ts";
import { type Run, runCli } from "../testing/child.ts";

const TESTING = path.resolve(import.meta.dirname, "../testing");
const DIRECTORY = mkdtempSync(path.join(tmpdir(), "connect-rest-workers-"));
const FILE = path.join(DIRECTORY, "connect-rest.yaml");
const RUNS: Run[] = [];

type Line = Readonly<Record<string, unknown>>;

let upstream: http.Server;
let baseUrl = "";
let hold: Promise<void> | undefined;
/** Called on each request to the upstream. */
let onRequest: () => void = () => undefined;

beforeAll(async () => {
  upstream = http.createServer(async (_request, response) => {
    onRequest();
    await hold;
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
beforeEach(() => {
  hold = undefined;
  onRequest = () => undefined;
});
afterEach(async () => {
  for (const run of RUNS.splice(0)) {
    run.process.kill("SIGKILL");
    await run.exit;
  }
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
  rmSync(DIRECTORY, { recursive: true });
});

function configure(server: string, level = "info"): void {
  writeFileSync(
    FILE,
    `adapters: [${TESTING}/echo-rest.ts]
upstreams: { echo: { baseUrl: "${baseUrl}" } }
server: { ${server} }
log: { level: ${level} }
`,
  );
}

function serve(args: readonly string[] = [], env: Record<string, string> = {}): Run {
  const run = runCli(["serve", ...args], DIRECTORY, env);
  RUNS.push(run);
  return run;
}

async function urlOf(run: Run, name = "gateway"): Promise<string> {
  return (await run.line(new RegExp(`^${name} ready on `))).replace(`${name} ready on `, "");
}

function logLines(run: Run): Line[] {
  const { stderr } = run.output();
  const lines = stderr.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Waits until `find` finds something in the log lines, and returns it. */
async function untilLogged<T>(run: Run, find: (lines: readonly Line[]) => T | undefined): Promise<T> {
  for (;;) {
    const found = find(logLines(run));
    if (found !== undefined) return found;
    await new Promise((resolve) => run.process.stderr?.once("data", resolve));
  }
}

function message(text: string, count = 1): (lines: readonly Line[]) => Line | undefined {
  return (lines) => lines.filter(({ msg }) => msg === text)[count - 1];
}

/** Makes a call on a new connection, and returns its status. */
function echo(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", connection: "close" };
    const request = http.request(`${url}/echo.v1.EchoService/Echo`, {
      method: "POST",
      headers,
      agent: false,
    });
    request.once("response", (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    request.once("error", reject);
    request.end("{}");
  });
}

function pidOf(run: Run, worker: number): Promise<number> {
  return untilLogged(run, (lines) => {
    const line = lines.findLast((each) => each.msg === "worker ready" && each.started === worker);
    return line === undefined ? undefined : Number(line.pid);
  });
}

async function scrape(url: string): Promise<string> {
  return (await fetch(url)).text();
}

test("two workers serve one port, and each log line has the number of its worker", async () => {
  configure("limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve(["--workers", "2"]);
  const url = await urlOf(run);
  for (let call = 0; call < 4; call++) expect(await echo(url)).toBe(200);
  const workers = await untilLogged(run, (lines) => {
    const calls = lines.filter(({ msg }) => msg === "call");
    return calls.length < 4 ? undefined : new Set(calls.map(({ worker }) => worker));
  });
  expect(workers).toEqual(new Set([1, 2]));
  run.process.kill("SIGTERM");
  expect(await run.exit).toBe(0);
});

test.each(["SIGUSR1", "SIGUSR2"] as const)(
  "%s ends neither a worker nor the primary process",
  async (signal) => {
    configure("workers: 2, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
    const run = serve();
    const url = await urlOf(run);
    const pids = [run.process.pid, await pidOf(run, 1), await pidOf(run, 2)];
    for (const pid of pids) process.kill(Number(pid), signal);
    for (let call = 0; call < 4; call++) expect(await echo(url)).toBe(200);
    run.process.kill("SIGTERM");
    expect(await run.exit).toBe(0);
    expect(message("a worker ended, another one is started")(logLines(run))).toBeUndefined();
    expect(run.output().stderr).not.toContain("ebugger");
  },
);

test("with workers: 1, the gateway runs in a single process", async () => {
  configure("workers: 1, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve();
  await echo(await urlOf(run));
  expect(await untilLogged(run, message("call"))).not.toHaveProperty("worker");
});

test("after SIGTERM, a call in flight finishes, and all processes exit", async () => {
  configure("workers: 2, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve();
  const url = await urlOf(run);
  let release: () => void = () => undefined;
  hold = new Promise((resolve) => {
    release = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const call = echo(url);
  await arrived;
  run.process.kill("SIGTERM");
  await untilLogged(run, (lines) =>
    lines.filter(({ msg }) => String(msg).startsWith("draining")).length === 3 ? true : undefined,
  );
  release();
  expect(await call).toBe(200);
  expect(await run.exit).toBe(0);
});

test("a killed worker is replaced, and the others serve calls in the meantime", async () => {
  configure("workers: 2, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve();
  const url = await urlOf(run);
  const first = await pidOf(run, 1);
  process.kill(first, "SIGKILL");
  expect(await untilLogged(run, message("a worker ended, another one is started"))).toMatchObject({
    worker: 1,
    ended: "was ended by SIGKILL",
    waitMs: 0,
  });
  expect(await echo(url)).toBe(200);
  const second = await untilLogged(run, (lines) => {
    return lines.filter(({ msg, started }) => msg === "worker ready" && started === 1)[1];
  });
  expect(second.pid).not.toBe(first);
  expect(await echo(url)).toBe(200);
});

test("the metrics are the sums over all workers, including counts of killed workers", async () => {
  configure("workers: 2, metrics: { port: 0 }, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve();
  const [url, metrics] = [await urlOf(run), await urlOf(run, "metrics")];
  const calls =
    /^connect_rest_calls_total\{method="echo\.v1\.EchoService\/Echo",code="ok",protocol="connect"\} (\d+)$/m;
  for (let call = 0; call < 6; call++) await echo(url);
  const before = await scrape(metrics);
  expect(before.match(calls)?.[1]).toBe("6");
  expect(before).toContain("connect_rest_workers 2\n");
  expect(before.match(/^connect_rest_build_info\{.*\} (.*)$/m)?.[1]).toBe("1");
  process.kill(await pidOf(run, 2), "SIGKILL");
  await untilLogged(
    run,
    (lines) => lines.filter(({ msg, started }) => msg === "worker ready" && started === 2)[1],
  );
  await echo(url);
  const after = await scrape(metrics);
  expect(after.match(calls)?.[1]).toBe("7");
  expect(after).toContain("connect_rest_worker_restarts_total 1\n");
});

test("the console of each worker shows the calls, limits and failures of all workers", async () => {
  configure("limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1, callsInFlight: 10 }");
  const run = serve(["--workers", "2"]);
  const url = await urlOf(run);
  const headers = { "content-type": "application/json", connection: "close" };
  const workers = () => new Set(logLines(run).flatMap(({ msg, worker }) => (msg === "call" ? [worker] : [])));
  let calls = 0;
  for (; calls < 6 || workers().size < 2; calls++) {
    const call = { method: "POST", headers, body: '{"text": 1}' };
    await (await fetch(`${url}/echo.v1.EchoService/Echo`, call)).text();
  }
  for (let request = 0; request < 4; request++) {
    const response = await fetch(`${url}/console/state.json`, { headers: { connection: "close" } });
    const state = (await response.json()) as ConsoleState;
    expect(state).toMatchObject({
      processes: 2,
      limits: { callsInFlight: 10 },
      metrics: { call_duration_seconds_count: [{ value: calls }] },
    });
    expect(state.failures).toHaveLength(Math.min(calls, MAX_FAILURES));
    expect(state.failures[0]).toMatchObject({ code: "invalid_argument", reason: "REQUEST_MALFORMED" });
  }
});

test("on SIGHUP, each worker applies changed live settings without being replaced", async () => {
  configure("workers: 2, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve();
  await urlOf(run);
  configure("workers: 2, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1, urlBytes: 4096 }");
  run.process.kill("SIGHUP");
  const settings = ["server.limits.urlBytes"];
  const reloaded = await untilLogged(run, (lines) => {
    const found = lines.filter(({ msg }) => msg === "configuration reloaded");
    return found.length < 2 ? undefined : found;
  });
  expect(new Set(reloaded.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  for (const line of reloaded) expect(line).toMatchObject({ settings });
  expect(logLines(run).filter(({ msg }) => msg === "worker ready")).toHaveLength(2);
});

test("on SIGHUP, a changed setting that needs a restart replaces the workers, and no call fails", async () => {
  configure("workers: 2, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve();
  const url = await urlOf(run);
  configure("workers: 3, console: false, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  run.process.kill("SIGHUP");
  let isOver = false;
  const over = untilLogged(run, message("workers replaced")).then(() => {
    isOver = true;
  });
  const statuses = new Set<number | undefined>();
  while (!isOver) statuses.add(await echo(url));
  await over;
  expect(statuses).toEqual(new Set([200]));
  expect((await fetch(`${url}/`)).status).toBe(404);
  const started = logLines(run).filter(({ msg }) => msg === "worker ready");
  expect(started.map((line) => line.started)).toEqual([1, 2, 1, 2, 3]);
});

test("on SIGHUP, an invalid configuration is reported once, and changes nothing", async () => {
  configure("workers: 2, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 }");
  const run = serve();
  const url = await urlOf(run);
  configure("workers: nine");
  run.process.kill("SIGHUP");
  const line = await untilLogged(run, message("configuration not reloaded, the one before is kept"));
  expect(String(line.problems)).toContain('server.workers: expected a number from 1 to 256, or "auto"');
  expect(await echo(url)).toBe(200);
});

test("a port that is in use is reported once, with the same exit status as without workers", async () => {
  const taken = net.createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  configure("workers: 3");
  const run = serve([], { GATEWAY_PORT: String(port) });
  expect(await run.exit).toBe(1);
  expect(run.output().stderr.match(/is in use/g)).toHaveLength(1);
  taken.close();
});

test("workers exit when the primary process is killed", async () => {
  configure("workers: 2, limits: { eventLoopDelayMs: 60000 }");
  const run = serve();
  const url = await urlOf(run);
  run.process.kill("SIGKILL");
  // standard output closes when the last process that shares it exits
  await run.exit;
  await expect(echo(url)).rejects.toThrow("ECONNREFUSED");
});

test.each(["0", "257", "two", "1.5", "-1", ""])(
  "--workers %j is rejected with the accepted values",
  async (text) => {
    configure("");
    const run = serve([`--workers=${text}`]);
    expect(await run.exit).toBe(2);
    expect(run.output().stderr).toContain("Expected a number from 1 to 256, or auto.");
  },
);
