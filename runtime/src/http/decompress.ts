import type { Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { FrameCount } from "./frame-count.ts";

interface DecoderOptions {
  readonly chunkSize: number;
}

/** A stream of node:zlib; `bytesWritten` is the number of bytes that it has read. */
export type Decoder = Transform & { readonly bytesWritten: number };

/** The largest window that a zstd decoder must support (RFC 9659): 8 MiB, as the exponent of two. */
export const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

/** By content coding; `beginning` has at least the first two bytes. */
const DECODERS: Readonly<Record<string, (options: DecoderOptions, beginning: Uint8Array) => Decoder>> = {
  gzip: (options) => createGunzip(options),
  "x-gzip": (options) => createGunzip(options),
  br: (options) => createBrotliDecompress(options),
  zstd: (options) => createZstdDecompress({ ...options, params: ZSTD_PARAMS }),
  deflate: (options, beginning) =>
    hasZlibHeader(beginning) ? createInflate(options) : createInflateRaw(options),
};

const MIN_CHUNK_BYTES = 16 * 1024;
/**
 * Buffers of this size are returned to the system when they are freed; smaller ones would fragment its
 * memory.
 */
const MAX_CHUNK_BYTES = 256 * 1024;
/** The typical compression ratio of JSON. */
const USUAL_RATIO = 8;

/** The reason why a body could not be decompressed. */
export class DecompressError extends Error {
  /** `unknown`: unknown encoding. `large`: above the limit. `truncated`: ends early. `corrupt`: invalid. */
  readonly kind: "unknown" | "large" | "truncated" | "corrupt";
  readonly encoding: string;

  constructor(kind: DecompressError["kind"], encoding: string, cause?: unknown) {
    super(`${kind} body in ${encoding}`, { cause });
    this.name = "DecompressError";
    this.kind = kind;
    this.encoding = encoding;
  }
}

/**
 * Decodes the content encodings (RFC 9110 section 8.4) of a body, the last one first. Each step stops as soon
 * as it has `limit` bytes, so that a small body cannot become a large one.
 *
 * @param encodings the value of `Content-Encoding`
 * @param signal aborts it
 * @throws DecompressError, or the reason of the signal
 */
export async function decompress(
  body: Uint8Array,
  encodings: string,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let bytes = body;
  for (const name of encodingsOf(encodings)) {
    if (bytes.length > 0) bytes = await step(bytes, decoderOf(name, encodings), name, limit, signal);
  }
  return bytes;
}

/** Reports whether there is a decoder for a content coding. */
export function isCoding(name: string): boolean {
  return Object.hasOwn(DECODERS, name);
}

/**
 * Returns the chunk, unless its body now has too many frames.
 *
 * @throws DecompressError
 */
export function counted(chunk: Uint8Array, frames: FrameCount, encoding: string): Uint8Array {
  if (frames.allows(chunk)) return chunk;
  throw new DecompressError("corrupt", encoding, new Error("too many frames"));
}

/**
 * Returns the unread bytes after a decoder's end that are still to be decoded: zstd is a sequence of frames
 * (RFC 8878 section 3), of which Node's decoder reads one at a time. The gzip decoder reads all members, and
 * leaves the zeros that may pad a block.
 *
 * @throws DecompressError if the bytes do not belong to the body
 */
export function restAfterEnd(encoding: string, left: Uint8Array): Uint8Array {
  if (encoding === "zstd") return left;
  const isShort = encoding.endsWith("gzip") && left.length <= MAX_PADDING;
  const isPadding = isShort && left.every((byte) => byte === 0);
  if (left.length === 0 || isPadding) return new Uint8Array();
  throw new DecompressError("corrupt", encoding, new Error(`${left.length} bytes after the end`));
}

/** The longest padding at the end of a body, or of a chunk, in bytes: each byte is checked. */
const MAX_PADDING = 64 * 1024;

/** The maximum length of a header with unknown encodings in an error. */
const MAX_SHOWN = 200;

/** One is typical, two occur; a header could name thousands, each with its own decoder. */
const MAX_ENCODINGS = 4;

/**
 * Returns the encodings in a `Content-Encoding`, the last one first, without `identity`.
 *
 * @throws DecompressError for more than four
 */
export function encodingsOf(header: string): string[] {
  const names = header
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_ENCODINGS) throw new DecompressError("unknown", `${names.length} encodings`);
  return names.reverse();
}

/**
 * Returns the error for an unknown encoding. It shows the whole header unchanged, or not at all: redaction
 * can only find a secret of the request that the upstream repeats in the whole header.
 */
function unknownEncoding(header: string): DecompressError {
  const shown = header.length > MAX_SHOWN ? `an encoding of ${header.length} characters` : header;
  return new DecompressError("unknown", shown);
}

/** @throws DecompressError for an unknown encoding */
export function decoderOf(encoding: string, header: string): (typeof DECODERS)[string] {
  const create = isCoding(encoding) ? DECODERS[encoding] : undefined;
  if (create === undefined) throw unknownEncoding(header);
  return create;
}

async function step(
  bytes: Uint8Array,
  create: (typeof DECODERS)[string],
  encoding: string,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let rest = counted(bytes, new FrameCount(encoding), encoding);
  do {
    const { decoded, bytesRead } = await decodeOne(rest, create, encoding, limit - size, signal);
    parts.push(decoded);
    size += decoded.length;
    rest = restAfterEnd(encoding, rest.subarray(bytesRead));
  } while (rest.length > 0);
  return whole(parts, size);
}

/** Decodes until the decoder ends. */
function decodeOne(
  bytes: Uint8Array,
  create: (typeof DECODERS)[string],
  encoding: string,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly decoded: Uint8Array; readonly bytesRead: number }> {
  signal.throwIfAborted();
  const usual = Math.min(Math.max(USUAL_RATIO * bytes.length, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
  const decoder = create({ chunkSize: usual }, bytes);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      signal.removeEventListener("abort", onAbort);
      decoder.destroy();
      act();
      chunks = [];
    };
    const onAbort = () => settle(() => reject(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    decoder.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) settle(() => reject(new DecompressError("large", encoding)));
    });
    decoder.once("end", () =>
      settle(() => resolve({ decoded: whole(chunks, size), bytesRead: decoder.bytesWritten })),
    );
    decoder.on("error", (error) => settle(() => reject(decompressErrorOf(error, encoding))));
    decoder.end(bytes);
  });
}

function whole(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
}

/** Returns the DecompressError for an error of node:zlib. */
export function decompressErrorOf(error: unknown, encoding: string): DecompressError {
  return new DecompressError(kindOf(error), encoding, error);
}

function kindOf(error: unknown): DecompressError["kind"] {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // zlib reports Z_BUF_ERROR for input that ends early; zstd reports ERR_ZSTD_… or the same
  return code === "Z_BUF_ERROR" || /unexpected end/i.test(String(error)) ? "truncated" : "corrupt";
}

/** In RFC 9110, `deflate` means RFC 1950; some servers send RFC 1951, without the header. */
function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
}
