import zlib from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoRequestSchema } from "../gen/echo/v1/echo_pb.ts";
import { envelopes } from "../protocol/envelope.ts";
import { type Server, startServer } from "../server.ts";
import { echoRoutes, echoService } from "../testing/echo.ts";
import { type RawClient, rawClient } from "../testing/raw-call.ts";
import { CLIENT_COMPRESSIONS } from "./client-compressions.ts";

const PATH = "/echo.v1.EchoService/Echo";
const NAMES = CLIENT_COMPRESSIONS.map(({ name }) => name);

let servers: readonly Server[];
let clients: readonly RawClient[];
beforeAll(async () => {
  const limits = { readMaxBytes: 64 * 1024, drainNoticeMs: 1, drainGraceMs: 50 };
  const start = (options: typeof echoService | { routes: typeof echoRoutes }) =>
    startServer({ ...options, limits });
  servers = await Promise.all([start(echoService), start({ routes: echoRoutes })]);
  clients = servers.map(({ port }) => rawClient(port));
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.close()));
});

const toMessage = (text: string) => toBinary(EchoRequestSchema, create(EchoRequestSchema, { text }));
const find = (name: string) => {
  const found = CLIENT_COMPRESSIONS.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

test("the supported compressions are gzip, br, zstd and deflate", () => {
  expect(NAMES).toEqual(["gzip", "br", "zstd", "deflate"]);
});

test.each(NAMES)("%s decompresses the bytes that it has compressed", async (name) => {
  const { compress, decompress } = find(name);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 5000 }), async (bytes) => {
      expect(Buffer.from(await decompress(await compress(bytes), 5000))).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 30 },
  );
});

test.each(NAMES)("a call and its response may be compressed with %s, on both paths", async (name) => {
  const text = "a text ".repeat(1000);
  const body = envelopes([1, await find(name).compress(toMessage(text))]);
  const headers = { "content-type": "application/grpc", "grpc-encoding": name, "grpc-accept-encoding": name };
  for (const client of clients) {
    const response = await client.send({ version: "2", method: "POST", path: PATH, headers, body });
    expect([response.headers["grpc-encoding"], response.body[0]]).toEqual([name, 1]);
    const message = await find(name).decompress(response.body.subarray(5), 1024 * 1024);
    expect(Buffer.from(message).toString()).toContain(text);
  }
});

test.each(NAMES)(
  "a message in %s that is too large when decompressed gets RESOURCE_EXHAUSTED, on both paths",
  async (name) => {
    const packed = await find(name).compress(toMessage("x".repeat(1024 * 1024)));
    const headers = { "content-type": "application/grpc", "grpc-encoding": name };
    for (const client of clients) {
      const call = {
        version: "2",
        method: "POST",
        path: PATH,
        headers,
        body: envelopes([1, packed]),
      } as const;
      expect((await client.send(call)).headers["grpc-status"]).toBe("8");
    }
  },
);

test.each(["zstd", "deflate"])(
  "data that is not in %s format gets INVALID_ARGUMENT, on both paths",
  async (name) => {
    const headers = { "content-type": "application/grpc", "grpc-encoding": name };
    for (const client of clients) {
      for (const junk of [
        Buffer.from("junk"),
        (await find(name).compress(toMessage("abc"))).subarray(0, 6),
      ]) {
        const call = {
          version: "2",
          method: "POST",
          path: PATH,
          headers,
          body: envelopes([1, junk]),
        } as const;
        expect((await client.send(call)).headers["grpc-status"]).toBe("3");
      }
    }
  },
);

test("a zstd message with a window larger than 8 MiB is rejected", async () => {
  const params = { [zlib.constants.ZSTD_c_windowLog]: 25, [zlib.constants.ZSTD_c_contentSizeFlag]: 0 };
  const stream = zlib.createZstdCompress({ params });
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => stream.once("end", resolve));
  // larger than the window, and written in pieces, so that the frame does not state its size
  for (let i = 0; i < 40; i++) stream.write(Buffer.alloc(1024 * 1024, i));
  stream.end();
  await ended;
  await expect(find("zstd").decompress(Buffer.concat(chunks), 1024 ** 3)).rejects.toThrow(
    "decompression failed",
  );
});
