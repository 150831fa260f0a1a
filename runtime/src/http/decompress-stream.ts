import { pipeline, Readable } from "node:stream";
import { decoderOf, decompressErrorOf, encodingsOf } from "./decompress.ts";

const OPTIONS = { chunkSize: 64 * 1024 };

/**
 * Takes the content encodings (RFC 9110 section 8.4) off a body as it comes, the last one first, with a few
 * chunks in memory. What is not compressed passes as it is.
 *
 * @param encodings the value of `Content-Encoding`
 * @throws DecompressError, or what the body throws
 */
export async function* decompressStream(
  body: AsyncIterable<Uint8Array>,
  encodings: string,
): AsyncGenerator<Uint8Array> {
  let bytes = body;
  for (const name of encodingsOf(encodings)) bytes = decoded(bytes, name, encodings);
  yield* bytes;
}

async function* decoded(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  header: string,
): AsyncGenerator<Uint8Array> {
  const create = decoderOf(encoding, header);
  const iterator = body[Symbol.asyncIterator]();
  const beginning = await firstBytes(iterator);
  // an empty body is empty in every encoding
  if (beginning.length === 0) return;
  const source = Readable.from(rest(beginning, iterator), { highWaterMark: 1 });
  const decoder = create(OPTIONS, beginning);
  // failures reach the reader through the decoder, which the pipeline destroys with them
  pipeline(source, decoder, () => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
  } catch (error) {
    throw isZlibError(error) ? decompressErrorOf(error, encoding) : error;
  }
}

/** The two bytes that tell `deflate` with a header from that without. */
async function firstBytes(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array();
  while (bytes.length < 2) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    bytes = bytes.length === 0 ? value : Buffer.concat([bytes, value]);
  }
  return bytes;
}

async function* rest(beginning: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield beginning;
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) yield step.value;
  } finally {
    await iterator.return?.();
  }
}

/** The codes of other errors that come this way are numbers, or none. */
function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
