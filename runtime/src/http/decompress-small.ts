import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/**
 * Up to these sizes, in bytes, a body is decompressed at once: to hand a page of 25 KB to a thread and to get it back takes three
 * times the processor time of decompressing it. More of them would hold the event loop for more than a millisecond.
 */
const MAX_COMPRESSED_BYTES = 64 * 1024;
const MAX_BYTES = 256 * 1024;

/** Memory comes in pieces of this size, in bytes, unless the body says how long it is: V8 counts what is allocated, used or not. */
const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 64 * 1024;
/** By how much JSON shrinks when it is compressed. */
const USUAL_RATIO = 8;

/** The largest window of zstd that a decoder must have (RFC 9659): 8 MiB, as the exponent of two. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

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

/** By content coding, of which `deflate` is with its header here. */
const DECODERS: ReadonlyMap<string, (bytes: Uint8Array, options: Options) => unknown> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
  ["zstd", (bytes, options) => zstdDecompressSync(bytes, { ...options, params: ZSTD_PARAMS })],
]);

/**
 * Decompresses a usual body of one content coding. Undefined for any other, which is left to who waits for a thread and says what
 * is wrong: for one that is large before or after, has further frames or bytes behind its end, ends early, or is not compressed so.
 *
 * @param limit the most bytes it may become
 */
export function decompressSmall(
  body: Uint8Array,
  encoding: string,
  limit: number,
): Uint8Array<ArrayBuffer> | undefined {
  const decode = DECODERS.get(encoding);
  const maxOutputLength = Math.min(MAX_BYTES, limit);
  if (decode === undefined || body.length > MAX_COMPRESSED_BYTES || maxOutputLength < 1) return undefined;
  try {
    const options = { chunkSize: chunkSize(body, encoding), maxOutputLength, info: true } as const;
    const { buffer, engine } = decode(body, options) as Decoded;
    return engine.bytesWritten === body.length ? buffer : undefined;
  } catch (error) {
    // of zlib; a mistake of ours has no code
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/** The length of the body, if gzip has it at the end (RFC 1952 section 2.3.1, ISIZE), and a byte, for zlib goes on in a full piece. */
function chunkSize(body: Uint8Array, encoding: string): number {
  const { length } = body;
  const isGzip = encoding.endsWith("gzip") && length > 4;
  const told = isGzip ? new DataView(body.buffer, body.byteOffset + length - 4, 4).getUint32(0, true) : 0;
  const guess = Math.min(USUAL_RATIO * length, MAX_CHUNK_BYTES);
  const size = told > 0 && told <= MAX_BYTES ? told + 1 : guess;
  return Math.max(size, MIN_CHUNK_BYTES);
}
