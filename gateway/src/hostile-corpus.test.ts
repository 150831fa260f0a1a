import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostileInput } from "./testing/corpus/hostile-input.ts";
import { HTTP1_INPUTS } from "./testing/corpus/http1.ts";
import { HTTP2_INPUTS } from "./testing/corpus/http2.ts";
import { RPC_INPUTS } from "./testing/corpus/rpc.ts";

let child: ChildProcess;
let port = 0;
let exited: unknown;
let stderr = "";
beforeAll(async () => {
  child = fork(path.resolve(import.meta.dirname, "testing/hostile-server.ts"), [], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    execArgv: ["--unhandled-rejections=strict"],
  });
  child.once("exit", (code, signal) => {
    exited = code ?? signal;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [ready] = await once(child, "message");
  port = ready.port;
});
afterAll(() => void child.kill("SIGKILL"));

/** Sends an input, and returns the received bytes once the server has closed the connection. */
function send({ parts, end }: HostileInput): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      for (const part of parts) socket.write(part);
      if (end) socket.end();
    });
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text;
    });
    socket.on("end", () => socket.end());
    socket.on("error", () => undefined).on("close", () => resolve(received));
  });
}

/** Returns whether the received bytes are the HTTP/1.1 response to a served call. */
function isServed(received: string): boolean {
  const [head = "", ...rest] = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "").split("\r\n\r\n");
  const body = rest.join("\r\n\r\n");
  if (!/^HTTP\/1\.1 2\d\d /.test(head)) return false;
  if (/^grpc-status: [1-9]/im.test(head)) return false;
  return !/"error":|grpc-status: ?[1-9]/i.test(body);
}

async function status(): Promise<{ readonly sockets: number; readonly rss: number }> {
  const answer = once(child, "message");
  child.send("status");
  const [message] = await answer;
  return message;
}

const groups = {
  "HTTP/1.1": HTTP1_INPUTS,
  "Connect and gRPC-Web": RPC_INPUTS,
  "HTTP/2 and gRPC": HTTP2_INPUTS,
};
const all = Object.values(groups).flat();

test("the corpus has more than 300 inputs with unique names", () => {
  expect(all.length).toBeGreaterThan(300);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

describe.each(Object.keys(groups))("%s", (name) => {
  test.concurrent.each(groups[name as keyof typeof groups])("$name", async (input) => {
    const received = await send(input);
    expect(exited).toBeUndefined();
    if (input.expect !== "any") {
      expect([isServed(received), received]).toEqual([input.expect === "ok", received]);
    }
    if (received.startsWith("HTTP/1.1 5")) expect(received).not.toContain("internal error");
    expect(received).not.toMatch(/node:internal|\/src\/|at async/);
  });
});

test("after all inputs, the process serves calls, has logged nothing, and has no open socket", async () => {
  expect([exited, stderr]).toEqual([undefined, ""]);
  const answer = await fetch(`http://127.0.0.1:${port}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: '{"text":"still here"}',
  });
  expect(await answer.json()).toEqual({ text: "still here" });
  while ((await status()).sockets > 0) expect(exited).toBeUndefined();
  expect((await status()).rss).toBeLessThan(512 * 1024 * 1024);
});
