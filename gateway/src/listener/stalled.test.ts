import http2 from "node:http2";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

let server: Server;
let onLine: (line: string) => unknown = () => {};
beforeAll(async () => {
  const log = createLogger("info", { write: (line: string) => onLine(line) });
  server = await startServer({ ...echoService, limits: { stalledWriteMs: 200 }, log });
});

/** Resolves with the next log line of a call. */
function logLine(): Promise<unknown> {
  return new Promise((resolve) => {
    onLine = (line) => line.includes('"method"') && resolve(JSON.parse(line));
  });
}
afterAll(() => server.close());

const text = "x".repeat(100_000);
const message = Buffer.from(JSON.stringify({ text, count: 1000 }));
const prefix = Buffer.alloc(5);
prefix.writeUInt32BE(message.length, 1);
const body = Buffer.concat([prefix, message]);

test("an HTTP/1.1 client that does not read its response is disconnected", async () => {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.write(
    `POST /echo.v1.EchoService/Repeat HTTP/1.1\r\nHost: a\r\nContent-Type: application/connect+json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  socket.pause();
  expect(await logLine()).toMatchObject({ method: "echo.v1.EchoService/Repeat", code: "canceled" });
  socket.destroy();
});

test("an HTTP/2 client that does not read its response loses the stream, and keeps its connection", async () => {
  const session = http2.connect(server.url);
  const stream = session.request({
    ":method": "POST",
    ":path": "/echo.v1.EchoService/Repeat",
    "content-type": "application/connect+json",
  });
  stream.end(body);
  stream.pause();
  const line = logLine();
  await new Promise((resolve) => stream.once("close", resolve));
  expect(stream.rstCode).toBe(http2.constants.NGHTTP2_CANCEL);
  expect(await line).toMatchObject({ method: "echo.v1.EchoService/Repeat", code: "canceled" });
  const health = session.request({ ":path": "/healthz" });
  const status = await new Promise((resolve) =>
    health.once("response", (headers) => resolve(headers[":status"])),
  );
  expect(status).toBe(200);
  session.destroy();
});

test("an HTTP/2 connection stays usable after many responses that were sent before their request bodies arrived", async () => {
  const session = http2.connect(server.url);
  const post = (path: string, bytes: Buffer) =>
    new Promise((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/json",
      });
      stream
        .once("response", (headers) => resolve(headers[":status"]))
        .once("error", reject)
        .resume();
      stream.end(bytes);
    });
  for (let i = 0; i < 30; i++) expect(await post("/nowhere", Buffer.alloc(60_000, " "))).toBe(404);
  expect(await post("/echo.v1.EchoService/Echo", Buffer.from(JSON.stringify({ text })))).toBe(200);
  session.destroy();
});
