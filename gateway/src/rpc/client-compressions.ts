import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Compression } from "@connectrpc/connect/protocol";
import { TurnBudget } from "connect-rest-codec/internal";
import { inflate } from "./inflate.ts";

/**
 * Up to this size, in bytes, a message is compressed at once: to hand one of 20 KB to a thread and to get it
 * back takes three times the processor time of compressing it.
 */
const SMALL_BYTES = 64 * 1024;

/**
 * What is compressed at once in one turn of the event loop, in bytes: a page of a stream has many messages.
 */
const AT_ONCE = new TurnBudget(256 * 1024);

/**
 * Memory comes in pieces of a size between these, in bytes: as large as the message, which becomes smaller.
 */
const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 16 * 1024;

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel } = zlib.constants;

/** What decompresses outside of a call is never ended. */
const NEVER = new AbortController().signal;

/** A content coding of node:zlib. */
interface Coding<Options> {
  readonly name: string;
  /**
   * For servers: the defaults of zlib and Brotli are a few percent smaller,
   * for twice and a hundred times the processor time.
   */
  readonly options: Options;
  readonly now: (bytes: Uint8Array, options: Options) => Uint8Array;
  readonly inThread: (bytes: Uint8Array, options: Options) => Promise<Uint8Array>;
}

/**
 * What messages of clients may be compressed with, in the order of preference. connect-node has the first two
 * as well, but a server that is not its own would load all of its clients and servers with them.
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

/** The bytes, copied only where they are in memory that others share. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
