import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Compression } from "@connectrpc/connect/protocol";
import { TurnBudget } from "connect-rest-codec/internal";
import { inflate } from "./inflate.ts";

/**
 * The maximum size of a message that is compressed synchronously, in bytes. For a 20 KB message, the round
 * trip to another thread takes three times as much CPU time as the compression.
 */
const SMALL_BYTES = 64 * 1024;

/**
 * The maximum number of bytes that are compressed synchronously in one event-loop turn. It is needed because
 * a page of a stream may yield many messages.
 */
const AT_ONCE = new TurnBudget(256 * 1024);

/**
 * The minimum and the maximum size of an output buffer, in bytes. Within these limits, a buffer is as large
 * as the message, since compression shrinks the message.
 */
const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 16 * 1024;

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel } = zlib.constants;

/** The signal for decompression outside of a call. It is never aborted. */
const NEVER = new AbortController().signal;

/** A content coding of node:zlib. */
interface Coding<Options> {
  readonly name: string;
  /**
   * Options that favor speed: the defaults of zlib and Brotli compress a few percent better, but take 2 times
   * (zlib) and 100 times (Brotli) as much CPU time.
   */
  readonly options: Options;
  readonly now: (bytes: Uint8Array, options: Options) => Uint8Array;
  readonly inThread: (bytes: Uint8Array, options: Options) => Promise<Uint8Array>;
}

/**
 * The compressions for client messages, in order of preference. connect-node exports the first two as well,
 * but importing connect-node loads all of its clients and servers.
 */
export const CLIENT_COMPRESSIONS: readonly Compression[] = [
  compression<zlib.ZlibOptions>({
    name: "gzip",
    options: { level: 1 },
    now: zlib.gzipSync,
    inThread: promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip),
  }),
  compression<zlib.BrotliOptions>({
    name: "br",
    options: { params: { [BROTLI_PARAM_QUALITY]: 4 } },
    now: zlib.brotliCompressSync,
    inThread: promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress),
  }),
  compression<zlib.ZstdOptions>({
    name: "zstd",
    options: { params: { [ZSTD_c_compressionLevel]: 1 } },
    now: zlib.zstdCompressSync,
    inThread: promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdCompress),
  }),
  compression<zlib.ZlibOptions>({
    name: "deflate",
    options: { level: 1 },
    now: zlib.deflateSync,
    inThread: promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.deflate),
  }),
];

function compression<Options>(coding: Coding<Options>): Compression {
  const { name, now, inThread } = coding;
  return {
    name,
    compress: async (bytes) => {
      const { length } = bytes;
      const chunkSize = Math.min(Math.max(length, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
      const options = { ...coding.options, chunkSize };
      if (length > SMALL_BYTES || AT_ONCE.isSpent) return ownBytes(await inThread(bytes, options));
      AT_ONCE.spend(length);
      return ownBytes(now(bytes, options));
    },
    decompress: async (bytes, maxBytes) => {
      if (bytes.length === 0) return new Uint8Array();
      return ownBytes(await inflate(name, bytes, maxBytes, NEVER));
    },
  };
}

/** Returns the bytes. Copies them only if they are in shared memory. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
