import {
  counted,
  type Decoder,
  decoderOf,
  decompressErrorOf,
  encodingsOf,
  restAfterEnd,
} from "./decompress.ts";
import { FrameCount } from "./frame-count.ts";

const OPTIONS = { chunkSize: 64 * 1024 };

/**
 * Decodes the content encodings (RFC 9110 section 8.4) of a body as it arrives, the last encoding first, with
 * only a few chunks in memory. An uncompressed body is not changed.
 *
 * @param encodings the value of `Content-Encoding`
 * @throws DecompressError, or the errors of the body
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
  const iterator = countedChunks(body, encoding);
  try {
    let beginning = await twoBytes(new Uint8Array(), iterator);
    // an empty body is empty in every encoding
    while (beginning.length > 0) {
      const decoder = create(OPTIONS, beginning);
      const left = feed(decoder, beginning, iterator);
      for await (const chunk of decoder) yield chunk as Buffer;
      const bytes = await left;
      const rest = restAfterEnd(encoding, bytes);
      if (rest.length < bytes.length) {
        // only padding of the same kind may follow
        for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) restAfterEnd(encoding, chunk);
        return;
      }
      beginning = await twoBytes(rest, iterator);
    }
  } catch (error) {
    throw isZlibError(error) ? decompressErrorOf(error, encoding) : error;
  } finally {
    // not awaited, since it may wait for a chunk that never arrives
    void iterator.return?.().catch(() => undefined);
  }
}

/** Yields the chunks of a body. Throws if the body has too many frames. */
function countedChunks(body: AsyncIterable<Uint8Array>, encoding: string): AsyncIterator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const frames = new FrameCount(encoding);
  return {
    next: async () => {
      const next = await iterator.next();
      if (next.done !== true) counted(next.value, frames, encoding);
      return next;
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
}

/** Reads chunks until at least two bytes have arrived. These bytes show whether `deflate` has a header. */
async function twoBytes(start: Uint8Array, iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let bytes = start;
  while (bytes.length < 2) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    bytes = bytes.length === 0 ? value : Buffer.concat([bytes, value]);
  }
  return bytes;
}

/**
 * Writes chunks to a decoder until the decoder ends or there are no more chunks. The decoder passes failures
 * to the reader.
 *
 * @returns the unread rest of the last chunk
 */
async function feed(
  decoder: Decoder,
  beginning: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): Promise<Uint8Array> {
  try {
    let chunk = beginning;
    for (;;) {
      const before = decoder.bytesWritten;
      await write(decoder, chunk);
      const bytesRead = decoder.bytesWritten - before;
      if (bytesRead < chunk.length) return chunk.subarray(bytesRead);
      const { done, value } = await iterator.next();
      if (done === true) break;
      chunk = value;
    }
    decoder.end();
  } catch (error) {
    decoder.destroy(error instanceof Error ? error : new Error("the body failed", { cause: error }));
  }
  return new Uint8Array();
}

/** Writes a chunk, and waits until the decoder has read it. */
function write(decoder: Decoder, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    decoder.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Reports whether zlib is the source of an error. Other errors on this path have numeric codes, or no code.
 */
function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
