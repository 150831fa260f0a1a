import zlib from "node:zlib";
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

function compress(coding: string, bytes: Uint8Array): Buffer {
  return COMPRESS[coding]?.(bytes) ?? Buffer.from(bytes);
}

/** The bytes, or why there are none. */
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

test.each(CODINGS)("a usual body in %s is decompressed at once", async (coding) => {
  await fc.assert(
    fc.asyncProperty(text, async (bytes) => {
      const body = compress(coding, bytes);
      const isSmall = body.length <= 64 * 1024 && bytes.length <= 256 * 1024;
      const found = decompressSmall(body, coding, 1 << 24);
      expect(found && Buffer.from(found)).toEqual(isSmall ? bytes : undefined);
    }),
    { interruptAfterTimeLimit: 2000, numRuns: 200 },
  );
});

test.each(["", "identity", "gzip, gzip", "GZIP", "compress", "constructor", "toString"])(
  "the encoding %j is left to others",
  (encoding) => {
    expect(decompressSmall(zlib.gzipSync("text"), encoding, 1000)).toBeUndefined();
  },
);

test.each(CODINGS)(
  "what a body in %s becomes at once, a thread makes of it too, whatever it is",
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
        const found = decompressSmall(body, coding, damage.limit);
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
