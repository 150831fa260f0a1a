import { pool as bufferPool } from "connect-rest-codec/internal";

/** The bytes before each message: one of flags, four of length. */
export const ENVELOPE_PREFIX_BYTES = 5;

/** The flag of a compressed message. */
export const COMPRESSED_FLAG = 1;

/** A message and its flags. */
export type Envelope = readonly [flags: number, bytes: Uint8Array];

/**
 * Writes messages in their envelopes (gRPC over HTTP/2, Length-Prefixed-Message; Connect, Enveloped-Message),
 * in a buffer that may be released.
 */
export function envelopes(...messages: readonly Envelope[]): Uint8Array {
  let size = 0;
  for (const [, bytes] of messages) size += ENVELOPE_PREFIX_BYTES + bytes.length;
  const out = bufferPool.acquire(size);
  let at = 0;
  for (const [flags, bytes] of messages) {
    const { length } = bytes;
    out[at] = flags;
    out[at + 1] = length >>> 24;
    out[at + 2] = length >>> 16;
    out[at + 3] = length >>> 8;
    out[at + 4] = length;
    out.set(bytes, at + ENVELOPE_PREFIX_BYTES);
    at += ENVELOPE_PREFIX_BYTES + bytes.length;
  }
  return out;
}
