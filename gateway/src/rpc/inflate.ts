import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { Code, type ConnectError } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";
import { Callbacks } from "../listener/callbacks.ts";

/**
 * Each chunk is a turn of the event loop and a task of a thread: small ones take most
 * of the time of a large message.
 */
const OPTIONS = { chunkSize: 64 * 1024 };

/** The largest window of zstd that a decoder must have (RFC 9659): 8 MiB, as the exponent of two. */
export const ZSTD_WINDOW_LOG = 23;
const ZSTD_OPTIONS = { ...OPTIONS, params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } };

/** By the names of the content codings; others are decompressed in one go, which cannot be stopped. */
const DECODERS: ReadonlyMap<string, () => Transform & { readonly bytesWritten: number }> = new Map([
  ["gzip", () => zlib.createGunzip(OPTIONS)],
  ["br", () => zlib.createBrotliDecompress(OPTIONS)],
  ["deflate", () => zlib.createInflate(OPTIONS)],
  ["zstd", () => zlib.createZstdDecompress(ZSTD_OPTIONS)],
]);

/**
 * How many frames of zstd a message may have. Encoders that work in parallel write one for some megabytes
 * each; a message of empty ones would take a decoder for every nine bytes.
 */
const MAX_FRAMES = 1000;

/** Whether there is a decoder for a content coding. */
export function canInflate(coding: string): boolean {
  return DECODERS.has(coding);
}

/**
 * Decompresses a message. Stops at the first byte beyond `maxBytes`, and as soon as the signal is aborted.
 * Bytes after the end are an error, but for further frames of zstd (RFC 8878 section 3) and members of gzip
 * (RFC 1952 section 2.2), which belong to the message, and zeros after gzip.
 *
 * @throws ConnectError with the codes and texts of connect-node; the reason of the signal
 */
export async function inflate(
  coding: string,
  bytes: Uint8Array,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let rest = bytes;
  do {
    const { decoded, bytesRead } = await inflateOne(coding, rest, size, maxBytes, signal);
    parts.push(decoded);
    size += decoded.length;
    rest = rest.subarray(bytesRead);
    // Node reads the members of gzip by itself, and leaves the zeros that may fill a block
    const isPadding = coding === "gzip" && rest.every((byte) => byte === 0);
    if (rest.length === 0 || isPadding) return whole(parts, size);
  } while (coding === "zstd" && parts.length < MAX_FRAMES);
  throw failed(new Error(`${rest.length} bytes after the end`));
}

/** Decompresses up to where the decoder ends; `before` is the size of what was decompressed already. */
function inflateOne(
  coding: string,
  bytes: Uint8Array,
  before: number,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly decoded: Uint8Array; readonly bytesRead: number }> {
  return new Promise((resolve, reject) => {
    const decoder = DECODERS.get(coding)?.();
    if (decoder === undefined) throw new Error(`no decoder for ${coding}`);
    const chunks: Buffer[] = [];
    let size = 0;
    const callbacks = new Callbacks((error) => settle(() => reject(error)));
    const settle = (act: () => void) => {
      stopListening();
      decoder.destroy();
      act();
    };
    const stopListening = callbacks.onAbort(signal, () => settle(() => reject(signal.reason)));
    callbacks.on(decoder, "data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (before + size > maxBytes) settle(() => reject(tooLarge(maxBytes)));
    });
    callbacks.once(decoder, "end", () =>
      settle(() => resolve({ decoded: whole(chunks, size), bytesRead: decoder.bytesWritten })),
    );
    callbacks.on(decoder, "error", (error: Error) => settle(() => reject(failed(error))));
    decoder.end(bytes);
  });
}

function whole(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
}

function tooLarge(maxBytes: number): ConnectError {
  const text = `message is larger than configured readMaxBytes ${maxBytes} after decompression`;
  return gatewayError("REQUEST_TOO_LARGE", text, Code.ResourceExhausted);
}

function failed(error: Error): ConnectError {
  const code = "code" in error ? String(error.code) : "";
  const status = /MEM|ALLOC|memory/.test(code) ? Code.Internal : Code.InvalidArgument;
  return gatewayError("REQUEST_MALFORMED", "decompression failed", status, [], error);
}
