import { setImmediate } from "node:timers/promises";
import zlib from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { RetryInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { CLIENT_COMPRESSIONS } from "./client-compressions.ts";
import { createDecompress } from "./compressions.ts";

const never = new AbortController().signal;
const limits = withDefaultLimits({ readMaxBytes: 100_000, queuedDecompressions: 2 });

async function failure(work: Promise<unknown>): Promise<ConnectError> {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof ConnectError) return error;
  throw new Error(`no ConnectError: ${error}`);
}

test.each([
  ["gzip", compressionGzip, zlib.gzipSync],
  ["br", compressionBrotli, zlib.brotliCompressSync],
])(
  "%s: a message is decompressed, an oversized message is rejected, and invalid data gets INVALID_ARGUMENT",
  async (_, compression, compress) => {
    const decompress = createDecompress(limits);
    const take = (bytes: Uint8Array) => decompress(compression, bytes, { key: "a" }, never);
    for (const size of [0, 1, 65_536, 65_537, 100_000]) {
      const bytes = Buffer.alloc(size, "ab");
      expect(Buffer.compare(await take(compress(bytes)), bytes)).toBe(0);
    }
    expect(await take(new Uint8Array())).toHaveLength(0);
    const large = compress(Buffer.alloc(100_001));
    const broken = [Buffer.from("no"), compress(Buffer.alloc(1000)).subarray(0, -3), Buffer.alloc(40, 255)];
    for (const bytes of [large, ...broken]) {
      const error = await failure(take(bytes));
      const expected = await failure(compression.decompress(bytes, 100_000));
      expect(error.rawMessage).toBe(expected.rawMessage);
      expect(error.code).toBe(bytes === large ? Code.ResourceExhausted : Code.InvalidArgument);
    }
  },
);

/** Chunks whose concatenated compressed bytes form a message, followed by trailing bytes. */
const parts = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 5 });
const behind = fc.uint8Array({ minLength: 1, maxLength: 40 });

test.each([
  ["gzip", zlib.gzipSync, true],
  ["zstd", zlib.zstdCompressSync, true],
  ["br", zlib.brotliCompressSync, false],
  ["deflate", zlib.deflateSync, false],
] as const)(
  "property: bytes after the end of a %s message are either decompressed or cause an error",
  async (name, compress, isSequence) => {
    const compression = CLIENT_COMPRESSIONS.find((one) => one.name === name) ?? compressionGzip;
    const decompress = createDecompress(limits);
    const take = (bytes: Uint8Array) => decompress(compression, bytes, { key: "a" }, never);
    await fc.assert(
      fc.asyncProperty(parts, behind, async (texts, garbage) => {
        const body = Buffer.concat(texts.map((text) => compress(text)));
        const result = take(body);
        if (isSequence || texts.length === 1) {
          expect(Buffer.from(await result)).toEqual(Buffer.concat(texts));
        } else {
          expect((await failure(result)).code).toBe(Code.InvalidArgument);
        }
        if (garbage.some((byte) => byte !== 0)) {
          expect((await failure(take(Buffer.concat([body, garbage])))).code).toBe(Code.InvalidArgument);
        }
      }),
      { numRuns: 50 },
    );
  },
);

test("the concatenated parts of a message share one size limit, and the number of parts is limited", async () => {
  const zstd = CLIENT_COMPRESSIONS.find(({ name }) => name === "zstd") ?? compressionGzip;
  const decompress = createDecompress(limits);
  const repeated = (size: number, times: number) =>
    decompress(
      zstd,
      Buffer.concat(Array(times).fill(zlib.zstdCompressSync(Buffer.alloc(size)))),
      { key: "a" },
      never,
    );
  expect(await repeated(50_000, 2)).toHaveLength(100_000);
  expect((await failure(repeated(50_001, 2))).code).toBe(Code.ResourceExhausted);
  expect(await repeated(0, 16)).toHaveLength(0);
  expect((await failure(repeated(0, 17))).code).toBe(Code.InvalidArgument);
});

test("each caller's messages are decompressed one at a time, and messages over the queue limit get a retry delay", async () => {
  let running = 0;
  const order: string[] = [];
  const slow: Compression = {
    name: "slow",
    compress: (bytes) => Promise.resolve(Uint8Array.from(bytes)),
    decompress: async (bytes) => {
      expect(++running).toBeLessThanOrEqual(2);
      order.push(String.fromCharCode(...bytes));
      await setImmediate();
      running--;
      return Uint8Array.from(bytes);
    },
  };
  const decompress = createDecompress(limits);
  const take = (client: string, name: string) => decompress(slow, Buffer.from(name), { key: client }, never);
  const first = ["1", "2", "3", "4"].map((name) => take("a", name));
  const error = await failure(take("a", "5"));
  expect(error.code).toBe(Code.ResourceExhausted);
  expect(error.rawMessage).toContain("the limit queuedDecompressions");
  expect(error.findDetails(RetryInfoSchema)).toHaveLength(1);
  const other = take("b", "b");
  expect((await failure(first.at(-1) ?? other)).code).toBe(Code.ResourceExhausted);
  await Promise.all([...first.slice(0, 3), other]);
  expect(order).toEqual(["1", "2", "3", "b"]);
});

test("decompression stops when the caller disconnects", async () => {
  const decompress = createDecompress(withDefaultLimits({ readMaxBytes: 2 ** 30 }));
  const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 1 });
  const abort = new AbortController();
  const work = decompress(compressionGzip, bomb, { key: "a" }, abort.signal).catch((error) => error);
  await setImmediate();
  abort.abort(new Error("gone"));
  expect(await work).toEqual(new Error("gone"));
});
