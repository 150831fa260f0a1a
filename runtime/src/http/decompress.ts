import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";

type Decoder = (body: Uint8Array, limits: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  deflate: (body, limits) => (hasZlibHeader(body) ? promisify(inflate) : promisify(inflateRaw))(body, limits),
};

/** Why a body could not be decompressed. */
export class DecompressError extends Error {
  /** `unknown`: no such encoding. `large`: above the limit. `truncated`: ends early. `corrupt`: is not that. */
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
 * Takes the content encodings (RFC 9110 section 8.4) off a body, the last one first. Each step stops as soon as
 * it has `limit` bytes, so that a small body cannot become a large one.
 *
 * @param encodings the value of `Content-Encoding`
 * @throws DecompressError
 */
export async function decompress(body: Uint8Array, encodings: string, limit: number): Promise<Uint8Array> {
  let bytes = body;
  for (const name of encodingsOf(encodings)) {
    if (bytes.length > 0) bytes = await step(bytes, name, limit);
  }
  return bytes;
}

/** One is usual, two are seen; a header could name thousands, each with a decoder of its own. */
const MAX_ENCODINGS = 4;

/**
 * The encodings that a `Content-Encoding` names, the last one first, without `identity`.
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

async function step(bytes: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder === undefined) throw new DecompressError("unknown", encoding);
  try {
    return await decoder(bytes, { maxOutputLength: limit });
  } catch (error) {
    throw decompressErrorOf(error, encoding);
  }
}

/** The DecompressError for an error of node:zlib. */
export function decompressErrorOf(error: unknown, encoding: string): DecompressError {
  return new DecompressError(kindOf(error), encoding, error);
}

function kindOf(error: unknown): DecompressError["kind"] {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ERR_BUFFER_TOO_LARGE") return "large";
  // zlib says Z_BUF_ERROR for input that ends early; zstd says ERR_ZSTD_… or the same
  return code === "Z_BUF_ERROR" || /unexpected end/i.test(String(error)) ? "truncated" : "corrupt";
}

/** RFC 9110 means RFC 1950 by `deflate`; some servers send RFC 1951, without the header. */
export function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
}
