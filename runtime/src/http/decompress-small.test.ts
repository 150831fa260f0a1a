import { setImmediate as nextTurn } from "node:timers/promises";
import zlib from "node:zlib";
import { TurnBudget } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DecompressError, decompress } from "./decompress.ts";
import { decompressSmall } from "./decompress-small.ts";

const never = new AbortController().signal;

const COMPRESS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  "x-gzip": (bytes) => zlib.gzipSync(bytes, { level: 1 }),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
};
const CODINGS = Object.keys(COMPRESS);
/** The maximum length of compressed bodies that are decompressed synchronously, by coding. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  gzip: 32_768,
  "x-gzip": 32_768,
  deflate: 32_768,
  zstd: 8192,
};
const unlimited = new TurnBudget(Number.POSITIVE_INFINITY);

function compress(coding: string, bytes: Uint8Array): Buffer {
  return COMPRESS[coding]?.(bytes) ?? Buffer.from(bytes);
}

/** Decompresses on another thread. Returns the bytes, or the error. */
async function inThread(body: Uint8Array, coding: string, limit: number): Promise<unknown> {
  try {
    return Buffer.from(await decompress(body, coding, limit, never));
  } catch (error) {
    return error instanceof DecompressError ? error.kind : error;
  }
}

const text = fc
  .tuple(fc.uint8Array({ maxLength: 400 }), fc.nat(900))
  .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part)));

test.each(CODINGS)(
  "a typical body in %s is decompressed synchronously, unless it is in Brotli",
  async (coding) => {
    await fc.assert(
      fc.asyncProperty(text, async (bytes) => {
        const body = compress(coding, bytes);
        const isSmall = body.length <= (MAX_BYTES[coding] ?? 0) && bytes.length <= 256 * 1024;
        const found = decompressSmall(body, coding, 1 << 24, unlimited);
        expect(found && Buffer.from(found)).toEqual(isSmall ? bytes : undefined);
      }),
      { interruptAfterTimeLimit: 2000, numRuns: 200 },
    );
  },
);

test.each(["", "identity", "gzip, gzip", "GZIP", "compress", "constructor", "toString"])(
  "a body in the encoding %j is decompressed asynchronously",
  (encoding) => {
    expect(decompressSmall(zlib.gzipSync("text"), encoding, 1000, unlimited)).toBeUndefined();
  },
);

test.each(Object.keys(MAX_BYTES))(
  "a body in %s is decompressed to the same bytes in a thread and on the synchronous path",
  async (coding) => {
    const other = fc.constantFrom(...CODINGS);
    const damage = fc.record({ place: fc.nat(), byte: fc.nat(255), cut: fc.nat(), limit: fc.nat(100_000) });
    let decompressed = 0;
    let left = 0;
    await fc.assert(
      fc.asyncProperty(text, text, other, fc.nat(6), damage, async (one, two, second, kind, damage) => {
        let body = compress(coding, one);
        if (kind === 0) body = Buffer.concat([body, compress(coding, two)]);
        if (kind === 1) body = Buffer.concat([body, compress(second, two)]);
        if (kind === 2) body = Buffer.concat([body, two.subarray(0, 20)]);
        if (kind === 3) body[damage.place % body.length] = damage.byte;
        if (kind === 4) body = body.subarray(0, 1 + (damage.cut % body.length));
        if (kind === 5) body = compress(second, one);
        const found = decompressSmall(body, coding, damage.limit, unlimited);
        if (found === undefined) {
          left++;
        } else {
          decompressed++;
          expect(await inThread(body, coding, damage.limit)).toEqual(Buffer.from(found));
        }
      }),
      { interruptAfterTimeLimit: 4000, numRuns: 2000 },
    );
    expect([decompressed, left].every((count) => count > 20)).toBe(true);
  },
);

test.each(Object.keys(MAX_BYTES))(
  "only a few of many concurrent bodies in %s are decompressed synchronously, and invalid bodies also use up the budget",
  async (coding) => {
    const usual = compress(coding, Buffer.alloc(20_000, "usual"));
    const cut = usual.subarray(0, -1);
    for (const body of [usual, cut, Buffer.alloc(500, 255)]) {
      const budget = new TurnBudget(100_000);
      for (let turn = 0; turn < 3; turn++) {
        let count = 0;
        while (!budget.isSpent) {
          const found = decompressSmall(body, coding, 1 << 24, budget);
          expect(found?.length).toBe(body === usual ? 20_000 : undefined);
          count++;
        }
        expect(count).toBeLessThanOrEqual(25);
        expect(decompressSmall(usual, coding, 1 << 24, budget)).toBeUndefined();
        await nextTurn();
      }
    }
  },
);
