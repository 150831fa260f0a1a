import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Run, run } from "../testing/child.ts";

const mib = 1024 * 1024;
const path = "/echo.v1.EchoService/Echo";

let server: Run;
let port: number;
beforeAll(async () => {
  server = run([`${import.meta.dirname}/../testing/echo-server.ts`], import.meta.dirname);
  port = Number((await server.line(/^ready on /)).split(":").at(-1));
});
afterAll(() => server.process.kill("SIGKILL"));

let asked = 0;

/** The most memory that the server has used so far, in bytes. */
async function peak(): Promise<number> {
  const seen = () => server.output().stdout.match(/^peak \d+$/gm) ?? [];
  server.process.kill("SIGUSR2");
  asked += 1;
  while (seen().length < asked) await once(server.process.stdout ?? process.stdin, "data");
  return Number(seen().at(-1)?.slice("peak ".length));
}

/** Writes the same bytes again and again, as fast as they are taken. */
async function writeTimes(stream: NodeJS.WritableStream, bytes: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times; count++) if (!stream.write(bytes)) await once(stream, "drain");
}

/** 400 KB of spaces and an empty object, each byte in a chunk of its own. */
const times = 400;
const thousand = (chunk: string) => Buffer.from(chunk.repeat(1000));

async function byHttp1(): Promise<string> {
  const socket = net.connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const head = "host: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close";
  socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
  await writeTimes(socket, thousand("1\r\n \r\n"), times);
  socket.write("2\r\n{}\r\n0\r\n\r\n");
  await once(socket, "close");
  return text;
}

async function byHttp2(): Promise<string> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
  let text = "";
  stream.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  for (let count = 0; count < times * 100; count++) {
    if (!stream.write(" ")) await once(stream, "drain");
  }
  stream.end("{}");
  await once(stream, "close");
  session.close();
  return text;
}

describe("a message in chunks of one byte", () => {
  test.each([
    ["HTTP/1.1", byHttp1],
    ["HTTP/2", byHttp2],
  ])(
    "over %s is read, and takes little more memory than it is long",
    { timeout: 60_000 },
    async (_, send) => {
      const before = await peak();
      expect(await send()).toMatch(/\{\}$/);
      expect((await peak()) - before).toBeLessThan(40 * mib);
    },
  );
});
