import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { afterAll, afterEach, expect, test } from "vitest";

const testing = path.resolve(import.meta.dirname, "../testing");
const bin = path.resolve(import.meta.dirname, "../bin.ts");
const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-unread-"));
writeFileSync(
  path.join(directory, "connect-rest.yaml"),
  `adapters: [${testing}/echo-rest.ts]
upstreams: { echo: { baseUrl: https://echo.example } }
server: { port: 0, metrics: { port: 0 }, limits: { drainNoticeMs: 1 } }
`,
);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Reads a stream until it matches a pattern, and no further. */
async function readUntil(stream: Readable, pattern: RegExp): Promise<RegExpExecArray> {
  let text = "";
  for (;;) {
    const chunk: Buffer | null = stream.read();
    text += chunk?.toString() ?? "";
    const found = pattern.exec(text);
    if (found !== null) return found;
    if (chunk === null) await once(stream, "readable");
  }
}

/** Starts a gateway whose standard error is not read. */
async function serve() {
  const child = spawn(process.execPath, [bin, "serve"], {
    cwd: directory,
    env: { ...process.env, GATEWAY_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const ready = await readUntil(
    child.stdout,
    /gateway ready on (http:\S+)\n(?:.*\n)*metrics ready on (http:\S+)\n/,
  );
  const [, url = "", metrics = ""] = ready;
  return { child, url, droppedLines: () => droppedLines(metrics) };
}

async function droppedLines(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  return Number(/^connect_rest_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

/** Makes calls that log long lines. */
async function callMany(url: string, count: number): Promise<void> {
  const call = () =>
    fetch(`${url}/grpc.health.v1.Health/Check`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "x".repeat(128) },
      body: "{}",
    }).then((response) => response.text());
  for (let i = 0; i < count; i += 50) await Promise.all(Array.from({ length: 50 }, call));
}

test("a gateway whose log is not read serves calls, counts lost lines, reports the count once the log is read, and exits on SIGTERM", {
  timeout: 120_000,
}, async () => {
  const { child, url, droppedLines } = await serve();
  for (let i = 0; i < 50 && (await droppedLines()) === 0; i++) await callMany(url, 500);
  expect(await droppedLines()).toBeGreaterThan(0);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const [, line = ""] = await readUntil(child.stderr, /^(.*"msg":"log lines dropped.*)$/m);
  expect(JSON.parse(line)).toMatchObject({ level: "warn", dropped: await droppedLines() });
  // Half a megabyte is still unread.
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a gateway whose output was closed by the reader still serves calls", { timeout: 120_000 }, async () => {
  const { child, url, droppedLines } = await serve();
  child.stdout.destroy();
  child.stderr.destroy();
  for (let i = 0; i < 50 && (await droppedLines()) === 0; i++) await callMany(url, 50);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
