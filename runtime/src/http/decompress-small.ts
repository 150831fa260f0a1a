import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { TurnBudget } from "connect-rest-codec/internal";
import { ZSTD_PARAMS } from "./decompress.ts";
import { FrameCount } from "./frame-count.ts";

/** The maximum length of a decompressed body on the synchronous path, in bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * The minimum size of output buffers, in bytes, if the decompressed length is unknown. V8 counts all
 * allocated memory, used or not.
 */
const MIN_CHUNK_BYTES = 2 * 1024;
const MAX_CHUNK_BYTES = 64 * 1024;
/** The typical compression ratio of JSON. */
const USUAL_RATIO = 8;
/** The maximum compression ratio of Deflate (https://zlib.net/zlib_tech.html). */
const MAX_RATIO = 1032;

/** The fixed cost of a body in budget units. One decompressed byte costs one unit. */
const UNITS_PER_BODY = 4 * 1024;

/** Options of node:zlib, shared by all decoders. */
interface Options {
  readonly chunkSize: number;
  readonly maxOutputLength: number;
  readonly info: true;
}

/** The result of node:zlib with the option `info`, which its types omit. */
interface Decoded {
  readonly buffer: Buffer<ArrayBuffer>;
  /** The number of bytes that the decoder has read. */
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The limits of a content coding. Crafted bodies may contain tables that take much longer to decode than
 * other bytes.
 */
interface Coding {
  readonly decode: (bytes: Uint8Array, options: Options) => unknown;
  /**
   * The maximum length of a compressed body on the synchronous path. A crafted body of this length takes two
   * or three milliseconds.
   */
  readonly maxBytes: number;
  /** The cost of a compressed byte in budget units; a decompressed byte costs one unit. */
  readonly unitsPerByte: number;
}

const DEFLATE = { maxBytes: 32 * 1024, unitsPerByte: 4 };

/**
 * Content codings by name. Here `deflate` always has its header. Brotli is missing, since a kilobyte of it
 * may take more than a millisecond.
 */
const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["gzip", { ...DEFLATE, decode: gunzipSync }],
  ["x-gzip", { ...DEFLATE, decode: gunzipSync }],
  ["deflate", { ...DEFLATE, decode: inflateSync }],
  [
    "zstd",
    {
      maxBytes: 8 * 1024,
      unitsPerByte: 16,
      decode: (bytes: Uint8Array, options: Options) =>
        zstdDecompressSync(bytes, { ...options, params: ZSTD_PARAMS }),
    },
  ],
]);

/**
 * Decompresses a typical body with one content coding synchronously. Passing a page of 25 KB to a thread and
 * back takes three times the processor time of decompressing it. Returns undefined for bodies that the
 * asynchronous path has to decompress or reject: bodies that are large before or after decompression, contain
 * more frames or trailing bytes, end early, or are corrupt. Also returns undefined while the budget is
 * exhausted.
 *
 * @param limit the maximum size of the result
 */
export function decompressSmall(
  body: Uint8Array,
  encoding: string,
  limit: number,
  budget: TurnBudget,
): Uint8Array<ArrayBuffer> | undefined {
  const coding = CODINGS.get(encoding);
  const maxOutputLength = Math.min(MAX_BYTES, limit);
  if (coding === undefined || body.length > coding.maxBytes || maxOutputLength < 1 || budget.isSpent) {
    return undefined;
  }
  if (!new FrameCount(encoding).allows(body)) return undefined;
  budget.spend(UNITS_PER_BODY + coding.unitsPerByte * body.length);
  try {
    const options = { chunkSize: chunkSize(body, encoding), maxOutputLength, info: true } as const;
    const { buffer, engine } = coding.decode(body, options) as Decoded;
    budget.spend(buffer.length);
    return engine.bytesWritten === body.length ? buffer : undefined;
  } catch (error) {
    // errors of zlib have a code; an error without a code is a bug of this module
    if (!(error instanceof Error && "code" in error)) throw error;
    budget.spend(maxOutputLength);
    return undefined;
  }
}

/**
 * Returns the length of the decompressed body, which gzip stores at the end (RFC 1952 section 2.3.1, ISIZE),
 * plus one byte, since zlib starts another step when the buffer is full.
 */
function chunkSize(body: Uint8Array, encoding: string): number {
  const { length } = body;
  const isGzip = encoding.endsWith("gzip") && length > 4;
  const told = isGzip ? new DataView(body.buffer, body.byteOffset + length - 4, 4).getUint32(0, true) : 0;
  const guess = Math.min(USUAL_RATIO * length, MAX_CHUNK_BYTES);
  const isPlausible = told > 0 && told <= Math.min(MAX_BYTES, MAX_RATIO * length);
  const size = isPlausible ? told + 1 : guess;
  return Math.max(size, MIN_CHUNK_BYTES);
}
