import { ChunkBuffer } from "connect-rest-codec/internal";
import { ENVELOPE_PREFIX_BYTES, missingEnvelope } from "../protocol/envelope.ts";

/**
 * Yields the body of a request in pieces that end at message boundaries, regardless of the size of its
 * chunks. On each new chunk, connect adds up all chunks of a message: 300 KB in chunks of one byte would
 * block the process for many seconds. A message over `maxBytes` is passed on immediately, so that connect
 * rejects it.
 *
 * @throws ConnectError for a message without an envelope
 */
export async function* wholeMessages(
  chunks: AsyncIterable<Uint8Array>,
  isEnveloped: boolean,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let pending = new ChunkBuffer();
  let needed = isEnveloped ? ENVELOPE_PREFIX_BYTES : maxBytes + 1;
  for await (const chunk of chunks) {
    pending.push(chunk);
    if (pending.size < needed) continue;
    const bytes = pending.bytes();
    const found = isEnveloped ? envelopesIn(bytes, maxBytes) : { end: bytes.length, needed: 0 };
    needed = found.needed;
    if (found.end === 0) continue;
    pending = new ChunkBuffer();
    pending.push(bytes.subarray(found.end));
    yield bytes.subarray(0, found.end);
  }
  if (pending.size === 0) return;
  // if the body ends after a complete prefix without its message, connect sees a normal end; it reports only
  // a partial prefix as an error
  const unframed = isEnveloped ? missingEnvelope(pending.bytes()) : undefined;
  if (unframed !== undefined) throw unframed;
  const isPrefix = isEnveloped && pending.size === ENVELOPE_PREFIX_BYTES;
  yield isPrefix ? pending.bytes().subarray(0, -1) : pending.bytes();
}

/**
 * Returns the end of the last complete envelope, and the size of the next envelope. The size is 0 if it
 * exceeds the limit.
 */
function envelopesIn(bytes: Buffer, maxBytes: number): { readonly end: number; readonly needed: number } {
  let end = 0;
  while (bytes.length - end >= ENVELOPE_PREFIX_BYTES) {
    const length = bytes.readUInt32BE(end + 1);
    if (length > maxBytes) {
      const unframed = missingEnvelope(bytes.subarray(end));
      if (unframed !== undefined) throw unframed;
      return { end: bytes.length, needed: 0 };
    }
    if (bytes.length - end < ENVELOPE_PREFIX_BYTES + length) {
      return { end, needed: ENVELOPE_PREFIX_BYTES + length };
    }
    end += ENVELOPE_PREFIX_BYTES + length;
  }
  return { end, needed: ENVELOPE_PREFIX_BYTES };
}
