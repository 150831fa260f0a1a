import { promisify } from "node:util";
import zlib from "node:zlib";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { gatewayError } from "../call/gateway-error.ts";
import { ZSTD_WINDOW_LOG } from "./inflate.ts";

/** Decompresses no more than this many bytes. */
type Decompress = (bytes: Uint8Array, maxOutputLength: number) => Promise<Uint8Array>;

/**
 * What messages of clients may be compressed with, in the order of preference. connect-node has the first two as well, but a server
 * that is not its own would load all of its clients and servers with them.
 */
export const CLIENT_COMPRESSIONS: readonly Compression[] = [
  compression("gzip", promisify<Uint8Array, Buffer>(zlib.gzip), (bytes, maxOutputLength) =>
    promisify(zlib.gunzip)(bytes, { maxOutputLength }),
  ),
  compression("br", promisify<Uint8Array, Buffer>(zlib.brotliCompress), (bytes, maxOutputLength) =>
    promisify(zlib.brotliDecompress)(bytes, { maxOutputLength }),
  ),
  ...zstdCompressions(),
  compression("deflate", promisify(zlib.deflate), (bytes, maxOutputLength) =>
    promisify(zlib.inflate)(bytes, { maxOutputLength }),
  ),
];

/** zstd, where Node has it (22.15 and newer). */
function zstdCompressions(): Compression[] {
  if (typeof zlib.zstdCompress !== "function") return [];
  const params = { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };
  const decompress: Decompress = (bytes, maxOutputLength) =>
    promisify(zlib.zstdDecompress)(bytes, { maxOutputLength, params });
  return [compression("zstd", promisify(zlib.zstdCompress), decompress)];
}

function compression(
  name: string,
  compress: (bytes: Uint8Array) => Promise<Uint8Array>,
  decompress: Decompress,
): Compression {
  return {
    name,
    compress: async (bytes) => ownBytes(await compress(bytes)),
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
