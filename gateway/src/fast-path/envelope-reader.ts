import { Code, type ConnectError } from "@connectrpc/connect";
import { ChunkBuffer } from "connect-rest-codec/internal";
import { gatewayError } from "../call/gateway-error.ts";
import { COMPRESSED_FLAG, ENVELOPE_PREFIX_BYTES, missingEnvelope } from "../protocol/envelope.ts";
import { checkReadBytes } from "./message-limits.ts";
import type { BodyReader, RawMessage } from "./wire.ts";

/**
 * Reads a body of envelopes: one byte of flags, four bytes of length, and a message (gRPC over HTTP/2,
 * Length-Prefixed-Message). A call with a single request has exactly one envelope. Envelopes with
 * `skippedFlag` are ignored.
 */
export class EnvelopeReader implements BodyReader {
  private readonly maxBytes: number;
  private readonly skippedFlag: number;
  private readonly kind: string;
  private pending = new ChunkBuffer();
  /** The number of bytes that the next step needs. */
  private needed = ENVELOPE_PREFIX_BYTES;
  private first: RawMessage | undefined;
  private hasMore = false;

  /** @param kind the kind of the method, for error messages: `unary`, `server-streaming` */
  constructor(maxBytes: number, skippedFlag = 0, kind: "unary" | "server-streaming" = "unary") {
    this.kind = kind;
    this.maxBytes = maxBytes;
    this.skippedFlag = skippedFlag;
  }

  push(chunk: Uint8Array): boolean {
    this.pending.push(chunk);
    if (this.pending.size < this.needed) return false;
    this.take(this.pending.bytes());
    return this.hasMore;
  }

  end(): RawMessage {
    if (this.first === undefined) {
      if (this.pending.size === 0) throw this.wrongNumber("missing input message");
      throw missingEnvelope(this.pending.bytes()) ?? incomplete();
    }
    return { ...this.first, problem: this.problem() };
  }

  private problem(): ConnectError | undefined {
    if (this.hasMore) return this.wrongNumber("received extra input message");
    return this.pending.size > 0 ? incomplete() : undefined;
  }

  private wrongNumber(what: string): ConnectError {
    const text = `protocol error: ${what} for ${this.kind} method`;
    return gatewayError("REQUEST_MALFORMED", text, Code.Unimplemented);
  }

  private take(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    this.needed = ENVELOPE_PREFIX_BYTES;
    while (!this.hasMore && bytes.length - at >= ENVELOPE_PREFIX_BYTES) {
      const length = view.getUint32(at + 1);
      const unframed = length > this.maxBytes ? missingEnvelope(bytes.subarray(at)) : undefined;
      if (unframed !== undefined) throw unframed;
      checkReadBytes(length, this.maxBytes, true);
      this.needed = ENVELOPE_PREFIX_BYTES + length;
      if (bytes.length - at < this.needed) break;
      this.add(bytes[at] ?? 0, bytes.subarray(at + ENVELOPE_PREFIX_BYTES, at + this.needed));
      at += this.needed;
      this.needed = ENVELOPE_PREFIX_BYTES;
    }
    if (at === 0) return;
    this.pending = new ChunkBuffer();
    this.pending.push(bytes.subarray(at));
  }

  private add(flags: number, bytes: Uint8Array): void {
    if ((flags & this.skippedFlag) !== 0) return;
    if (this.first === undefined) {
      this.first = { bytes, isCompressed: (flags & COMPRESSED_FLAG) !== 0 };
    } else {
      this.hasMore = true;
    }
  }
}

function incomplete(): ConnectError {
  return gatewayError("REQUEST_MALFORMED", "protocol error: incomplete envelope", Code.InvalidArgument);
}
