/** The bytes before each message: one of flags, four of length. */
export const ENVELOPE_PREFIX_BYTES = 5;

/** The flag of a compressed message. */
export const COMPRESSED_FLAG = 1;

/** A message and its flags. */
export type Envelope = readonly [flags: number, bytes: Uint8Array];

/** Writes messages in their envelopes (gRPC over HTTP/2, Length-Prefixed-Message; Connect, Enveloped-Message). */
export function envelopes(...messages: readonly Envelope[]): Uint8Array {
  const size = messages.reduce((sum, [, bytes]) => sum + ENVELOPE_PREFIX_BYTES + bytes.length, 0);
  const out = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [flags, bytes] of messages) {
    out.writeUInt8(flags, at);
    out.writeUInt32BE(bytes.length, at + 1);
    out.set(bytes, at + ENVELOPE_PREFIX_BYTES);
    at += ENVELOPE_PREFIX_BYTES + bytes.length;
  }
  return out;
}
