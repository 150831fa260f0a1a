import { promisify } from "node:util";
import zlib from "node:zlib";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { gatewayError } from "../call/gateway-error.ts";
import { ZSTD_WINDOW_LOG } from "./inflate.ts";

/** Decompresses no more than this many bytes. */
type Decompress = (bytes: Uint8Array, maxOutputLength: number) => Promise<Uint8Array>;

/**
 * Up to this size, in bytes, a message is compressed at once: to hand one of 20 KB to a thread and to get it back takes three times
 * the processor time of compressing it.
 */
const SMALL_BYTES = 64 * 1024;
const CHUNK_BYTES = 16 * 1024;

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel, ZSTD_d_windowLogMax } = zlib.constants;

// Levels for servers: what zlib and Brotli take by default makes a page smaller by a few percent, for twice and for a hundred times
// the processor time.
const DEFLATE = { level: 1, chunkSize: CHUNK_BYTES };
const BROTLI = { params: { [BROTLI_PARAM_QUALITY]: 4 }, chunkSize: CHUNK_BYTES };
const ZSTD = { params: { [ZSTD_c_compressionLevel]: 1 }, chunkSize: CHUNK_BYTES };
const ZSTD_DECODER = { [ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };

/** A message that is compressed: at once, and by a thread. */
interface Compressor {
  readonly now: (bytes: Uint8Array) => Uint8Array;
  readonly inThread: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/**
 * What messages of clients may be compressed with, in the order of preference. connect-node has the first two as well, but a server
 * that is not its own would load all of its clients and servers with them.
 */
export const CLIENT_COMPRESSIONS: readonly Compression[] = [
  compression(
    "gzip",
    {
      now: (bytes) => zlib.gzipSync(bytes, DEFLATE),
      inThread: (bytes) => promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip)(bytes, DEFLATE),
    },
    (bytes, maxOutputLength) => promisify(zlib.gunzip)(bytes, { maxOutputLength }),
  ),
  compression(
    "br",
    {
      now: (bytes) => zlib.brotliCompressSync(bytes, BROTLI),
      inThread: (bytes) =>
        promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(bytes, BROTLI),
    },
    (bytes, maxOutputLength) => promisify(zlib.brotliDecompress)(bytes, { maxOutputLength }),
  ),
  compression(
    "zstd",
    {
      now: (bytes) => zlib.zstdCompressSync(bytes, ZSTD),
      inThread: (bytes) => promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)(bytes, ZSTD),
    },
    (bytes, maxOutputLength) =>
      promisify(zlib.zstdDecompress)(bytes, { maxOutputLength, params: ZSTD_DECODER }),
  ),
  compression(
    "deflate",
    {
      now: (bytes) => zlib.deflateSync(bytes, DEFLATE),
      inThread: (bytes) => promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.deflate)(bytes, DEFLATE),
    },
    (bytes, maxOutputLength) => promisify(zlib.inflate)(bytes, { maxOutputLength }),
  ),
];

function compression(name: string, { now, inThread }: Compressor, decompress: Decompress): Compression {
  return {
    name,
    compress: async (bytes) => ownBytes(bytes.length <= SMALL_BYTES ? now(bytes) : await inThread(bytes)),
    decompress: async (bytes, maxBytes) => {
      if (bytes.length === 0) return new Uint8Array();
      try {
        return ownBytes(await decompress(bytes, maxBytes));
      } catch (error) {
        throw failure(error, maxBytes);
      }
    },
  };
}

/** The bytes, copied only where they are in memory that others share. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

function failure(error: unknown, maxBytes: number): ConnectError {
  if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
    const text = `message is larger than configured readMaxBytes ${maxBytes} after decompression`;
    return gatewayError("REQUEST_TOO_LARGE", text, Code.ResourceExhausted);
  }
  return gatewayError("REQUEST_MALFORMED", "decompression failed", Code.InvalidArgument, [], error);
}
