import { promisify } from "node:util";
import zlib from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Run, run } from "../testing/child.ts";
import { http2Request } from "../testing/raw.ts";

const MIB = 1024 * 1024;

/** Compresses one gibibyte of spaces, which is valid as the beginning of JSON. */
async function bomb(stream: zlib.Gzip | zlib.BrotliCompress): Promise<Buffer> {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const write = promisify((data: Buffer, done: (error?: Error | null) => void) => stream.write(data, done));
  const block = Buffer.alloc(16 * MIB, " ");
  for (let i = 0; i < 64; i++) await write(block);
  await new Promise<void>((resolve) => {
    stream.once("end", resolve);
    stream.end();
  });
  return Buffer.concat(chunks);
}

let server: Run;
let port: number;
let peakBefore: number;
const bombs: Record<string, Buffer> = {};

/** Returns the peak memory of the server so far, in bytes. */
async function peak(count: number): Promise<number> {
  server.process.kill("SIGUSR2");
  await server.line(/^peak /);
  const seen = () => server.output().stdout.match(/^peak \d+$/gm) ?? [];
  while (seen().length < count) await new Promise((resolve) => server.process.stdout?.once("data", resolve));
  return Number(seen().at(-1)?.slice("peak ".length));
}

beforeAll(async () => {
  server = run([`${import.meta.dirname}/../testing/echo-server.ts`], import.meta.dirname);
  port = Number((await server.line(/^ready on /)).split(":").at(-1));
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = zlib.constants;
  const params = { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_LGWIN]: 24 };
  bombs.br = await bomb(zlib.createBrotliCompress({ params }));
  bombs.gzip = await bomb(zlib.createGzip({ level: 1 }));
  // Measures the usual cost of a call before the bomb is sent.
  const body = zlib.brotliCompressSync(JSON.stringify({ text: "x".repeat(3 * MIB) }));
  await http2Request(port, { ...unary, "content-encoding": "br" }, body);
  peakBefore = await peak(1);
}, 60_000);
afterAll(() => server.process.kill("SIGKILL"));

const unary = { ":method": "POST", ":path": "/echo.v1.EchoService/Echo", "content-type": "application/json" };

test("a gibibyte of spaces compresses to a small message", () => {
  expect(bombs.br?.length).toBeLessThan(2048);
  expect(bombs.gzip?.length).toBeLessThan(8 * MIB);
});

test.each(["br", "gzip"])(
  "a Connect message is rejected if %s decompresses it to a gibibyte",
  async (encoding) => {
    const { status, body } = await http2Request(
      port,
      { ...unary, "content-encoding": encoding },
      bombs[encoding],
    );
    expect(status).toBe(429);
    expect(body).toMatchObject({
      code: "resource_exhausted",
      message: expect.stringMatching(/is larger than configured readMaxBytes 4194304/),
    });
  },
);

test.each(["br", "gzip"])(
  "a gRPC message is rejected if %s decompresses it to a gibibyte",
  async (encoding) => {
    const data = bombs[encoding] ?? Buffer.alloc(0);
    const prefix = Buffer.from([1, 0, 0, 0, 0]);
    prefix.writeUInt32BE(data.length, 1);
    const headers = {
      ...unary,
      "content-type": "application/grpc+json",
      "grpc-encoding": encoding,
      te: "trailers",
    };
    const response = await http2Request(port, headers, Buffer.concat([prefix, data]));
    expect(response.headers["grpc-status"]).toBe("8");
    expect(response.headers["grpc-message"]).toContain("readMaxBytes");
  },
);

test("after messages that decompress to a gibibyte, the process serves requests, and its peak memory has grown by less than 64 MiB", async () => {
  expect(await http2Request(port, { ":path": "/healthz" })).toMatchObject({ status: 200, body: "alive\n" });
  expect((await peak(2)) - peakBefore).toBeLessThan(64 * MIB);
});
