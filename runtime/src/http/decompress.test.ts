import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DecompressError, decompress as decompressUntil } from "./decompress.ts";
import { decompressStream } from "./decompress-stream.ts";

const LIMIT = 1 << 20;
const text = Buffer.from('{"name":"é"}'.repeat(50));

const never = new AbortController().signal;
const decompress = (body: Uint8Array, encodings: string, limit: number) =>
  decompressUntil(body, encodings, limit, never);

async function kindOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof DecompressError ? error.kind : `not a DecompressError: ${error}`;
}

test.each([
  ["gzip", gzipSync(text)],
  ["X-Gzip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["br", brotliCompressSync(text)],
  ["zstd", zstdCompressSync(text)],
  ["identity", text],
  ["", text],
  ["deflate, gzip", gzipSync(deflateSync(text))],
  ["identity , BR", brotliCompressSync(text)],
])("a body with the encoding %s is decompressed", async (encoding, body) => {
  expect(Buffer.from(await decompress(body, encoding, LIMIT)).equals(text)).toBe(true);
});

test("up to four encodings are decoded and more are rejected, in one piece and in a stream", async () => {
  const wrapped = (times: number) =>
    Array.from({ length: times }).reduce<Buffer>((bytes) => gzipSync(bytes), text);
  const names = (times: number) => "gzip,".repeat(times);
  expect(Buffer.from(await decompress(wrapped(4), names(4), LIMIT)).equals(text)).toBe(true);
  expect(await kindOf(decompress(wrapped(5), names(5), LIMIT))).toBe("unknown");
  async function* body() {
    yield wrapped(5);
  }
  expect(await kindOf(decompressStream(body(), names(5)).next())).toBe("unknown");
});

test("the error for an unknown encoding contains the whole header or only its length", async () => {
  const thrown = async (encodings: string) => {
    async function* body() {
      yield text;
    }
    const whole = decompress(text, encodings, LIMIT).catch((error: unknown) => error);
    const streamed = decompressStream(body(), encodings)
      .next()
      .catch((error: unknown) => error);
    const [one, other] = (await Promise.all([whole, streamed])) as DecompressError[];
    expect(other?.encoding).toBe(one?.encoding);
    return one?.encoding;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.stringMatching(/^[A-Z][a-z-]{3,9}$/), { minLength: 1, maxLength: 4 }),
      async (names) => {
        const header = names.join(", ");
        expect(await thrown(header)).toBe(header);
      },
    ),
    { numRuns: 30 },
  );
  expect(await thrown("S3cret,".repeat(3) + "x".repeat(180))).toBe("an encoding of 201 characters");
});

test("an empty body is valid in any encoding", async () => {
  expect(await decompress(new Uint8Array(), "gzip, compress", LIMIT)).toHaveLength(0);
});

test.each(["gzip", "deflate", "br", "zstd"])(
  "the error for a truncated %s body differs from the error for a corrupt body",
  async (name) => {
    const compress = {
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    }[name];
    const whole = compress?.(text) ?? Buffer.alloc(0);
    expect(await kindOf(decompress(whole.subarray(0, whole.length - 5), name, LIMIT))).toBe("truncated");
    expect(await kindOf(decompress(Buffer.alloc(40, 0xff), name, LIMIT))).toBe("corrupt");
  },
);

test("an unknown encoding is rejected, even if it is the name of an object property", async () => {
  expect(await kindOf(decompress(text, "compress", LIMIT))).toBe("unknown");
  expect(await kindOf(decompress(text, "constructor", LIMIT))).toBe("unknown");
});

test("decompression stops at the limit, so 1 KB that would become 128 MiB costs little", async () => {
  const layer = brotliCompressSync(Buffer.alloc(128 << 20));
  expect(layer.length).toBeLessThan(1024);
  const before = process.memoryUsage().rss;
  expect(await kindOf(decompress(layer, "br", 16 << 20))).toBe("large");
  expect(await kindOf(decompress(gzipSync(Buffer.alloc(LIMIT + 1)), "gzip", LIMIT))).toBe("large");
  expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  const inner = gzipSync(Buffer.alloc(4 << 20));
  expect(await kindOf(decompress(gzipSync(inner), "gzip, gzip", LIMIT))).toBe("large");
});

test("a decompressed body may be exactly as large as the limit", async () => {
  const body = gzipSync(Buffer.alloc(LIMIT));
  expect(await decompress(body, "gzip", LIMIT)).toHaveLength(LIMIT);
});

test("decompression stops when its signal is aborted", async () => {
  const abort = new AbortController();
  const work = decompressUntil(brotliCompressSync(Buffer.alloc(64 << 20)), "br", 128 << 20, abort.signal);
  abort.abort(new Error("the call is over"));
  await expect(work).rejects.toThrow("the call is over");
});

test("decompression of any bytes throws only DecompressErrors", async () => {
  const encodings = fc.constantFrom("gzip", "deflate", "br", "zstd", "gzip, br", "x");
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), encodings, async (body, encoding) => {
      const result = await decompress(body, encoding, 1000).catch((error: unknown) => error);
      expect(result instanceof Uint8Array || result instanceof DecompressError).toBe(true);
    }),
  );
});

/** Splits bytes into chunks that end at the given positions. */
async function* chunksOf(bytes: Uint8Array, ends: readonly number[]) {
  let start = 0;
  for (const end of [...ends.toSorted((a, b) => a - b), bytes.length]) {
    if (end > start && end <= bytes.length) {
      yield bytes.subarray(start, end);
      start = end;
    }
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test.each([
  ["gzip", gzipSync, true],
  ["zstd", zstdCompressSync, true],
  ["br", brotliCompressSync, false],
  ["deflate", deflateSync, false],
  ["deflate", deflateRawSync, false],
] as const)(
  "property: a body in %s is decoded completely in chunks of any size, and bytes after its end are decoded or rejected",
  async (name, compress, isSequence) => {
    const parts = fc.array(fc.uint8Array({ maxLength: 100 }), { minLength: 1, maxLength: 4 });
    const garbage = fc.uint8Array({ maxLength: 30 });
    const ends = fc.array(fc.nat(300), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, garbage, ends, async (texts, behind, cuts) => {
        const compressed = texts.map((text) => compress(text));
        const body = Buffer.concat([...compressed, behind]);
        // the boundaries between parts are the critical positions
        let end = 0;
        const borders = compressed.map(({ length }) => (end += length));
        for (const places of [[], cuts, borders]) {
          const whole = decompress(body, name, LIMIT);
          const streamed = readAll(decompressStream(chunksOf(body, places), name));
          if ((isSequence || texts.length === 1) && behind.length === 0) {
            expect(Buffer.from(await whole)).toEqual(Buffer.concat(texts));
            expect(await streamed).toEqual(Buffer.concat(texts));
          } else if (name !== "gzip" || behind.some((byte) => byte !== 0)) {
            const kinds = await Promise.all([kindOf(whole), kindOf(streamed)]);
            expect(kinds.filter((kind) => !["corrupt", "truncated"].includes(kind))).toEqual([]);
          } else {
            await Promise.all([whole, streamed]);
          }
        }
      }),
      { numRuns: 60 },
    );
  },
);

test("the decompressed parts of a body together may be as large as the limit", async () => {
  const body = (size: number) =>
    Buffer.concat([zstdCompressSync(text), zstdCompressSync(Buffer.alloc(size))]);
  expect(await decompress(body(LIMIT - text.length), "zstd", LIMIT)).toHaveLength(LIMIT);
  expect(await kindOf(decompress(body(LIMIT - text.length + 1), "zstd", LIMIT))).toBe("large");
});
