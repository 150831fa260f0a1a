import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { TurnBudget } from "connect-rest-codec/internal";
import { ZSTD_PARAMS } from "./decompress.ts";
import { FrameCount } from "./frame-count.ts";

/** A body becomes no longer than this at once, in bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Memory comes in pieces of this size, in bytes, unless the body says how long it is:
 * V8 counts what is allocated, used or not.
 */
const MIN_CHUNK_BYTES = 2 * 1024;
const MAX_CHUNK_BYTES = 64 * 1024;
/** By how much JSON shrinks when it is compressed. */
const USUAL_RATIO = 8;
/** By how much Deflate shrinks anything at most (https://zlib.net/zlib_tech.html). */
const MAX_RATIO = 1032;

/** What any body takes, compared with its bytes. */
const UNITS_PER_BODY = 4 * 1024;

/** The options of node:zlib, one set for all decoders. */
interface Options {
  readonly chunkSize: number;
  readonly maxOutputLength: number;
  readonly info: true;
}

/** What they return with `info`, which their types do not say. */
interface Decoded {
  readonly buffer: Buffer<ArrayBuffer>;
  /** It has read so many bytes. */
  readonly engine: { readonly bytesWritten: number };
}

/** A content coding. Bodies can be made whose tables take far longer than their bytes. */
interface Coding {
  readonly decode: (bytes: Uint8Array, options: Options) => unknown;
  /**
   * The longest compressed body that is decompressed at once: made for that,
   * it takes two or three milliseconds.
   */
  readonly maxBytes: number;
  /** Units of the budget that a compressed byte takes, one that it becomes being 1. */
  readonly unitsPerByte: number;
}

const DEFLATE = { maxBytes: 32 * 1024, unitsPerByte: 4 };

/** By name; `deflate` is with its header here. Of Brotli each kilobyte can take more than a millisecond. */
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
 * Decompresses a usual body of one content coding at once: to hand a page of 25 KB to a thread and to get it
 * back takes three times the processor time of decompressing it. Undefined for any other, which is left to
 * who waits for a thread and says what is wrong: for one that is large before or after, has further frames or
 * bytes behind its end, ends early, or is not compressed so; and for all while the budget is spent.
 *
 * @param limit the most bytes it may become
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
    // of zlib; a mistake of ours has no code
    if (!(error instanceof Error && "code" in error)) throw error;
    budget.spend(maxOutputLength);
    return undefined;
  }
}

/**
 * The length of the body, if gzip has it at the end (RFC 1952 section 2.3.1, ISIZE), and a byte, for zlib
 * goes on in a full piece.
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
