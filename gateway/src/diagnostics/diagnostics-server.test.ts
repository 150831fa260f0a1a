import { afterAll, beforeAll, expect, test } from "vitest";
import type { SideServer } from "../listener/side-server.ts";
import type { SeenDifferences } from "../log/difference-log.ts";
import { createLogger } from "../log/logger.ts";
import { exchange } from "../testing/raw.ts";
import { startDiagnosticsServer } from "./diagnostics-server.ts";

const LINES: Record<string, unknown>[] = [];
const log = createLogger("info", { write: (line: string) => LINES.push(JSON.parse(line)) });
const DIFFERENCES: SeenDifferences = { differences: [], notListed: 3 };
let server: SideServer;
beforeAll(async () => {
  server = await startDiagnosticsServer(
    log,
    { port: 0 },
    {
      loads: () => [
        {
          upstream: "a",
          origin: "https://a.example",
          limit: Number.POSITIVE_INFINITY,
          running: 3,
          waiting: 0,
        },
        { upstream: "b", origin: "https://b.example", limit: 2.5, running: 2, waiting: 7 },
      ],
      differences: () => DIFFERENCES,
    },
  );
});
afterAll(() => server.close());

const send = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init);

test("the log level can be read and set", async () => {
  expect(await (await send("/log-level")).text()).toBe("info\n");
  expect((await send("/log-level", { method: "PUT", body: "debug\n" })).status).toBe(200);
  expect(log.level).toBe("debug");
  expect(LINES.at(-1)).toMatchObject({ msg: "log level changed", from: "info", to: "debug" });
  for (const body of ["", "loud", "info warn", "x".repeat(100_000)]) {
    const { status } = await send("/log-level", { method: "PUT", body });
    expect(status).toBe(400);
  }
  expect(log.level).toBe("debug");
});

test("/origins lists the requests at each upstream origin, with the origin's limit if it has one", async () => {
  expect(await (await send("/origins")).json()).toEqual([
    { upstream: "a", origin: "https://a.example", running: 3, waiting: 0 },
    { upstream: "b", origin: "https://b.example", limit: 2.5, running: 2, waiting: 7 },
  ]);
});

test("/differences lists the differences of responses", async () => {
  expect(await (await send("/differences")).json()).toEqual(DIFFERENCES);
});

test("a heap snapshot has the format that developer tools read", async () => {
  const response = await send("/heap-snapshot");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="gateway.heapsnapshot"');
  expect(response.headers.get("cache-control")).toBe("no-store");
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(new TextDecoder().decode(value)).toMatch(/^\{"snapshot":\{"meta":/);
  await reader?.cancel();
});

test("a CPU profile contains functions and samples", async () => {
  const profile: unknown = await (await send("/cpu-profile?seconds=0.05")).json();
  expect(profile).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
});

test("only one CPU profile runs at a time, and it ends when its client disconnects", async () => {
  /**
   * Requests an invalid profile, which is never recorded, only to get the status: 409 while another profile
   * runs.
   */
  const status = async () => (await send("/cpu-profile?seconds=0")).status;
  const abort = new AbortController();
  const left = send("/cpu-profile?seconds=300", { signal: abort.signal }).catch(() => "left");
  while ((await status()) !== 409);
  abort.abort();
  expect(await left).toBe("left");
  while ((await status()) !== 400);
});

test.each(["0", "-1", "301", "x", "1e9", ""])("a CPU profile of %j seconds is rejected", async (seconds) => {
  expect((await send(`/cpu-profile?seconds=${seconds}`)).status).toBe(400);
});

test.each([
  [{ origin: "http://evil.example" }],
  [{ "sec-fetch-site": "cross-site" }],
  [{ "sec-fetch-site": "same-origin" }],
])("a request from a web page is rejected: %j", async (headers) => {
  for (const path of ["/log-level", "/heap-snapshot", "/cpu-profile"]) {
    expect((await send(path, { headers })).status).toBe(403);
  }
});

test("a request with a foreign host, as after DNS rebinding, is rejected", async () => {
  const port = Number(new URL(server.url).port);
  const request = "GET /log-level HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
  expect(await exchange(port, request)).toMatch(/^HTTP\/1\.1 421 /);
});

test("the diagnostics port serves no other paths and methods", async () => {
  expect((await send("/")).status).toBe(404);
  expect((await send("/heap-snapshot", { method: "POST" })).status).toBe(404);
  expect((await send("/constructor")).status).toBe(404);
});

test("diagnostics on a non-loopback address cause a warning", async () => {
  const open = await startDiagnosticsServer(
    log,
    { host: "0.0.0.0", port: 0 },
    { loads: () => [], differences: () => DIFFERENCES },
  );
  expect(LINES.at(-1)).toMatchObject({
    level: "warn",
    host: "0.0.0.0",
    msg: expect.stringContaining("secrets"),
  });
  await open.close();
});
