import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Run, runCli } from "../testing/child.ts";

const TESTING = path.resolve(import.meta.dirname, "../testing");
const DIRECTORY = mkdtempSync(path.join(tmpdir(), "connect-rest-killed-"));
const WORKERS = 3;
const CLIENTS = 8;
/** The numbers of calls after which a worker is killed. */
const KILLED_AFTER = [40, 1, 150, 7];
/** A timeout much longer than any call takes, even on a busy machine. */
const HANGS_MS = 20_000;

let upstream: http.Server;
let run: Run;

beforeAll(async () => {
  upstream = http.createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  writeFileSync(
    path.join(DIRECTORY, "connect-rest.yaml"),
    `adapters: [${TESTING}/echo-rest.ts]
upstreams: { echo: { baseUrl: "http://127.0.0.1:${port}" } }
server: { workers: ${WORKERS}, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 } }
log: { level: info }
`,
  );
  run = runCli(["serve"], DIRECTORY);
});
afterAll(async () => {
  run.process.kill("SIGKILL");
  await run.exit;
  upstream.closeAllConnections();
  upstream.close();
  rmSync(DIRECTORY, { recursive: true });
});

const REQUEST =
  "POST /echo.v1.EchoService/Echo HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/** Makes a call on a new connection, and returns whether it was served, broken off, or not answered. */
function call(port: number): Promise<"served" | "broken" | "hangs"> {
  return new Promise((resolve) => {
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => socket.write(REQUEST));
    const timer = setTimeout(() => socket.destroy(new Error("hangs")), HANGS_MS);
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
    });
    let hangs = false;
    socket.on("error", ({ message }) => {
      hangs = message === "hangs";
    });
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(hangs ? "hangs" : text.startsWith("HTTP/1.1 200") ? "served" : "broken");
    });
  });
}

type Line = Readonly<Record<string, unknown>>;

function lines(text: string): Line[] {
  const { stderr } = run.output();
  const all = stderr.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
  return all.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === text);
}

test("killing a worker under load breaks only calls that run in this worker, and the worker is restarted", async () => {
  const url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
  const port = Number(new URL(url).port);
  const counts = { served: 0, broken: 0, hangs: 0 };
  let isOver = false;
  let onCall: () => void = () => undefined;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      counts[await call(port)] += 1;
      onCall();
    }
  });
  const calls = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await new Promise<void>((resolve) => {
        onCall = resolve;
      });
    }
  };
  for (const [index, count] of KILLED_AFTER.entries()) {
    await calls(count);
    const ready = lines("worker ready");
    const newest = ready.findLast(({ started }) => started === 1 + (index % WORKERS));
    process.kill(Number(newest?.pid), "SIGKILL");
    while (lines("worker ready").length === ready.length) await calls(1);
  }
  isOver = true;
  await Promise.all(clients);
  expect(counts.hangs).toBe(0);
  expect(counts.broken).toBeLessThanOrEqual(KILLED_AFTER.length * CLIENTS);
  const restarts = lines("a worker ended, another one is started");
  expect(restarts.map(({ waitMs }) => waitMs)).toEqual([0, 100, 200, 400]);
});
