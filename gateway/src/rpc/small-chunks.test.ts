import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Run, run } from "../testing/child.ts";

const MIB = 1024 * 1024;

let server: Run;
let port: number;
beforeAll(async () => {
  // a small young generation keeps uncollected garbage out of the measurement
  const young = "--max-semi-space-size=1";
  server = run([young, `${import.meta.dirname}/../testing/echo-server.ts`], import.meta.dirname);
  port = Number((await server.line(/^ready on /)).split(":").at(-1));
});
afterAll(() => server.process.kill("SIGKILL"));

let asked = 0;

/** Returns the peak memory of the server so far, in bytes. */
async function peak(): Promise<number> {
  const seen = () => server.output().stdout.match(/^peak \d+$/gm) ?? [];
  server.process.kill("SIGUSR2");
  asked += 1;
  while (seen().length < asked) await once(server.process.stdout ?? process.stdin, "data");
  return Number(seen().at(-1)?.slice("peak ".length));
}

/** Writes the same bytes repeatedly, as fast as the stream accepts them. */
async function writeTimes(stream: NodeJS.WritableStream, bytes: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times; count++) if (!stream.write(bytes)) await once(stream, "drain");
}

/** Sends spaces and an empty object, one byte per chunk, and returns the whole response. */
async function send(
  method: string,
  headers: readonly string[],
  start: Buffer,
  spaces: number,
): Promise<string> {
  const socket = net.connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const head = ["host: a", "transfer-encoding: chunked", "connection: close", ...headers].join("\r\n");
  socket.write(`POST /echo.v1.EchoService/${method} HTTP/1.1\r\n${head}\r\n\r\n`);
  for (const byte of start) socket.write(Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), crlf]));
  await writeTimes(socket, Buffer.from("1\r\n \r\n".repeat(1000)), spaces / 1000);
  socket.write("2\r\n{}\r\n0\r\n\r\n");
  await once(socket, "close");
  return text;
}

const crlf = Buffer.from("\r\n");

test("a message in one-byte chunks takes little more memory than its length", {
  timeout: 60_000,
}, async () => {
  const before = await peak();
  const text = await send("Echo", ["content-type: application/json"], Buffer.alloc(0), 400_000);
  expect(text).toMatch(/^HTTP\/1\.1 200 .*\{\}$/s);
  expect((await peak()) - before).toBeLessThan(50 * MIB);
});

test("a stream message in one-byte chunks does not block the process", {
  timeout: 60_000,
}, async () => {
  const spaces = 200_000;
  const start = Buffer.alloc(5);
  start.writeUInt32BE(spaces + 2, 1);
  const headers = ["content-type: application/connect+json", "connect-timeout-ms: 20000"];
  const text = await send("Join", headers, start, spaces);
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toContain("deadline_exceeded");
  expect(text).toContain("{}");
});
