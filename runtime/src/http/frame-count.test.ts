import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { TurnBudget } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DecompressError, decompress } from "./decompress.ts";
import { decompressSmall } from "./decompress-small.ts";
import { decompressStream } from "./decompress-stream.ts";

const LIMIT = 1 << 24;
const never = new AbortController().signal;
const unlimited = new TurnBudget(Number.POSITIVE_INFINITY);
const nothing = Buffer.alloc(0);

/** Returns one of 16 kinds of frames whose content decoders skip (RFC 8878 section 3.1.2). */
function skippable(kind: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + kind);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

const gzipNamed = Buffer.concat([
  Buffer.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3),
  Buffer.from("name\0"),
  gzipSync(nothing).subarray(10),
]);

/** Codings, and frames that their bodies may contain. */
const FRAMES: ReadonlyArray<readonly [coding: string, kind: string, frame: Buffer]> = [
  ["gzip", "empty members", gzipSync(nothing)],
  ["x-gzip", "empty members", gzipSync(nothing)],
  ["gzip", "members of a byte", gzipSync("a")],
  ["gzip", "members with a name", gzipNamed],
  ["gzip", "members without compression", gzipSync("ab", { level: 0 })],
  ["zstd", "empty frames", zstdCompressSync(nothing)],
  ["zstd", "frames of a byte", zstdCompressSync("a")],
  [
    "zstd",
    "frames with a checksum",
    zstdCompressSync("abc", { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
  ],
  ["zstd", "skippable frames", skippable(0, nothing)],
  ["zstd", "skippable frames of another kind", skippable(15, Buffer.alloc(3))],
];

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function streamed(body: Uint8Array, coding: string, size: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decompressStream(cut(body, size), coding)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const kindOf = (error: unknown) => (error instanceof DecompressError ? error.kind : String(error));

test.each(FRAMES)(
  "property: a short body in %s is rejected if it has more than 16 %s, in one piece and in a stream",
  async (coding, _, frame) => {
    const counts = fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 20, max: 2000 }));
    await fc.assert(
      fc.asyncProperty(counts, fc.integer({ min: 1, max: 70_000 }), async (count, size) => {
        const body = Buffer.concat(Array(count).fill(frame));
        const whole = decompress(body, coding, LIMIT, never).catch(kindOf);
        const chunks = streamed(body, coding, size).catch(kindOf);
        const small = decompressSmall(body, coding, LIMIT, unlimited);
        const most = 16 + body.length / 4096;
        if (count > most) {
          expect([await whole, await chunks, small]).toEqual(["corrupt", "corrupt", undefined]);
        } else {
          const one = await decompress(frame, coding, LIMIT, never);
          const expected = Buffer.concat(Array(count).fill(one));
          expect(await chunks).toEqual(expected);
          expect(Buffer.from(await whole)).toEqual(expected);
          if (small !== undefined) expect(Buffer.from(small)).toEqual(expected);
        }
      }),
      { numRuns: 60, interruptAfterTimeLimit: 5000 },
    );
  },
);

test.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
] as const)("a body in %s may have any number of large frames", async (coding, compress) => {
  const part = randomBytes(16_384);
  const frame = compress(part);
  expect(frame.length).toBeGreaterThan(4096);
  const body = Buffer.concat(Array(200).fill(frame));
  expect(await decompress(body, coding, LIMIT, never)).toHaveLength(200 * part.length);
  expect(await streamed(body, coding, 10_000)).toHaveLength(200 * part.length);
});

test("a gzip body may be padded with up to 64 KB of zeros", async () => {
  const body = (zeros: number) => Buffer.concat([gzipSync("a"), Buffer.alloc(zeros)]);
  expect(Buffer.from(await decompress(body(65_536), "gzip", LIMIT, never)).toString()).toBe("a");
  expect(await decompress(body(65_537), "gzip", LIMIT, never).catch(kindOf)).toBe("corrupt");
});

/** Bodies that consist of a single stream of many empty blocks. */
const BLOCKS: ReadonlyArray<readonly [coding: string, kind: string, body: Buffer]> = [
  ["deflate", "stored", Buffer.concat([Buffer.of(0x78, 1), repeated(Buffer.of(0, 0, 0, 255, 255))])],
  ["deflate", "fixed", Buffer.concat([Buffer.of(0x78, 1), repeated(Buffer.of(2, 8, 32, 128, 0))])],
  ["br", "metadata", Buffer.concat([Buffer.of(0x0c), repeated(Buffer.of(6))])],
  ["zstd", "raw", Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x58), repeated(Buffer.alloc(3))])],
];

function repeated(block: Buffer): Buffer {
  return Buffer.concat(Array(Math.floor(200_000 / block.length)).fill(block));
}

/** Measures the processor time of all threads per kilobyte of a body, in microseconds. */
async function costOf(body: Uint8Array, coding: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await decompress(body, coding, LIMIT, never).catch(kindOf);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least / (body.length / 1024);
}

test("a byte of a hostile body takes at most about twenty times as long to decode as a byte of a typical body", async () => {
  const text = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, n: id * 7919 }))));
  const honest = Math.max(
    await costOf(gzipSync(text), "gzip"),
    await costOf(zstdCompressSync(text), "zstd"),
    await costOf(brotliCompressSync(text), "br"),
    await costOf(deflateSync(text), "deflate"),
  );
  const frames = FRAMES.map(([coding, kind, frame]) => [coding, kind, repeated(frame)] as const);
  for (const [coding, kind, body] of [...BLOCKS, ...frames]) {
    const cost = await costOf(body, coding);
    expect([coding, kind, cost < 20 * honest ? "ok" : `${cost} us a KB, honest ${honest}`]).toEqual([
      coding,
      kind,
      "ok",
    ]);
  }
});

test("a body in the block table is reported as truncated, not as corrupt", async () => {
  for (const [coding, kind, body] of BLOCKS) {
    expect([coding, kind, await decompress(body, coding, LIMIT, never).catch(kindOf)]).toEqual([
      coding,
      kind,
      "truncated",
    ]);
  }
});
