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

/** A stream of node:zlib. `bytesWritten` is the number of bytes that it has read. */
export type Decoder = Transform & { readonly bytesWritten: number };

/** The largest window that a zstd decoder must support (RFC 9659), as a power of two: 8 MiB. */
export const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

/** Decoders by content coding. `beginning` contains at least the first two bytes of the body. */
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
 * The maximum size of buffers in bytes. Freed buffers of this size are returned to the system, while smaller
 * buffers would fragment its memory.
 */
const MAX_CHUNK_BYTES = 256 * 1024;
/** The typical compression ratio of JSON. */
const USUAL_RATIO = 8;

/** The reason why a body could not be decompressed. */
export class DecompressError extends Error {
  /**
   * The kind of the problem. `unknown`: the encoding is unknown. `large`: the result exceeds the limit.
   * `truncated`: the body ends early. `corrupt`: the body is invalid.
   */
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
 * Decodes the content encodings (RFC 9110 section 8.4) of a body, the last encoding first. Each step stops
 * when its result exceeds `limit` bytes, so that a small body cannot become a large one.
 *
 * @param encodings the value of `Content-Encoding`
 * @param signal aborts decoding
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
 * Returns the chunk.
 *
 * @throws DecompressError if its body now has too many frames
 */
export function counted(chunk: Uint8Array, frames: FrameCount, encoding: string): Uint8Array {
  if (frames.allows(chunk)) return chunk;
  throw new DecompressError("corrupt", encoding, new Error("too many frames"));
}

/**
 * Returns the bytes that remain to be decoded after a decoder has ended. A zstd body is a sequence of frames
 * (RFC 8878 section 3), and Node's decoder reads one frame at a time. The gzip decoder reads all members, and
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

/**
 * The maximum length of the padding at the end of a body or of a chunk, in bytes. Every padding byte is
 * checked.
 */
const MAX_PADDING = 64 * 1024;

/** The maximum length of a header with unknown encodings in an error. */
const MAX_SHOWN = 200;

/**
 * The maximum number of encodings. One is typical, and two occur. A header could name thousands, and each
 * needs a decoder.
 */
const MAX_ENCODINGS = 4;

/**
 * Returns the encodings in a `Content-Encoding`, the last encoding first, without `identity`.
 *
 * @throws DecompressError for more than four encodings
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
 * Returns the error for an unknown encoding. The error contains the whole header unchanged, or none of it: if
 * the upstream repeats a secret of the request, redaction can find the secret only in the whole header.
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

/** Decodes chunks until the decoder ends. */
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

/** Converts an error of node:zlib to a DecompressError. */
export function decompressErrorOf(error: unknown, encoding: string): DecompressError {
  return new DecompressError(kindOf(error), encoding, error);
}

function kindOf(error: unknown): DecompressError["kind"] {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // for input that ends early, zlib reports Z_BUF_ERROR, and zstd reports ERR_ZSTD_… or Z_BUF_ERROR
  return code === "Z_BUF_ERROR" || /unexpected end/i.test(String(error)) ? "truncated" : "corrupt";
}

/**
 * Reports whether a body has the header of RFC 1950, as `deflate` does in RFC 9110. Some servers send RFC
 * 1951, without the header.
 */
function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
}
