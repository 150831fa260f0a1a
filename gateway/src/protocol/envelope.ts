import { Code, type ConnectError } from "@connectrpc/connect";
import { pool as bufferPool } from "connect-rest-codec/internal";
import { gatewayError } from "../call/gateway-error.ts";
import { show } from "../text/show.ts";

/** The prefix of each message: one byte of flags, four bytes of length. */
export const ENVELOPE_PREFIX_BYTES = 5;

/** The flag of a compressed message. */
export const COMPRESSED_FLAG = 1;

/** A message and its flags. */
export type Envelope = readonly [flags: number, bytes: Uint8Array];

/**
 * Encodes messages in their envelopes (gRPC over HTTP/2, Length-Prefixed-Message; Connect,
 * Enveloped-Message). The result is a buffer that may be released.
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

/** The flags for compression, for the end of a Connect stream, and for gRPC-Web trailers. */
const KNOWN_FLAGS = COMPRESSED_FLAG | 0x02 | 0x80;

/**
 * Returns the error for a message without an envelope, e.g. bare JSON; undefined if the body begins with
 * known flags.
 */
export function missingEnvelope(body: Uint8Array): ConnectError | undefined {
  const [flags = 0] = body;
  if ((flags & ~KNOWN_FLAGS) === 0) return undefined;
  const begin = show(Buffer.from(body.subarray(0, ENVELOPE_PREFIX_BYTES)).toString("latin1"));
  const text = `protocol error: expected each message in an envelope, a byte of flags and four of its length before it, got bytes that begin with ${begin}; put the envelope before it, or call a unary method of Connect with content-type application/json or application/proto, which have none`;
  return gatewayError("REQUEST_MALFORMED", text, Code.InvalidArgument);
}
