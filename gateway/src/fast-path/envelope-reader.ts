import { Code, ConnectError } from "@connectrpc/connect";
import { Gathered } from "../protocol/chunk-buffer.ts";
import { checkReadBytes } from "./message-limits.ts";
import type { Intake, Intaken } from "./wire.ts";

/** The flag of a compressed message. */
export const compressedFlag = 1;

const prefixBytes = 5;

/**
 * Takes a body of envelopes: a byte of flags, four of length, and a message (gRPC over HTTP/2,
 * Length-Prefixed-Message). A unary call has one of them, and nothing behind it. Messages with `skippedFlag` do not
 * count.
 */
export class EnvelopeIntake implements Intake {
  readonly #maxBytes: number;
  readonly #skippedFlag: number;
  #pending = new Gathered();
  /** How many bytes the next step takes. */
  #needed = prefixBytes;
  #first: Intaken | undefined;
  #hasMore = false;

  constructor(maxBytes: number, skippedFlag = 0) {
    this.#maxBytes = maxBytes;
    this.#skippedFlag = skippedFlag;
  }

  push(chunk: Uint8Array): boolean {
    this.#pending.push(chunk);
    if (this.#pending.size < this.#needed) return false;
    this.#take(this.#pending.bytes());
    return this.#hasMore;
  }

  end(): Intaken {
    if (this.#first === undefined) {
      throw this.#pending.size > 0 ? incomplete() : wrongNumber("missing input message");
    }
    return { ...this.#first, problem: this.#problem() };
  }

  #problem(): ConnectError | undefined {
    if (this.#hasMore) return wrongNumber("received extra input message");
    return this.#pending.size > 0 ? incomplete() : undefined;
  }

  #take(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    this.#needed = prefixBytes;
    while (!this.#hasMore && bytes.length - at >= prefixBytes) {
      const length = view.getUint32(at + 1);
      checkReadBytes(length, this.#maxBytes, true);
      this.#needed = prefixBytes + length;
      if (bytes.length - at < this.#needed) break;
      this.#add(bytes[at] ?? 0, bytes.subarray(at + prefixBytes, at + this.#needed));
      at += this.#needed;
      this.#needed = prefixBytes;
    }
    if (at === 0) return;
    this.#pending = new Gathered();
    this.#pending.push(bytes.subarray(at));
  }

  #add(flags: number, bytes: Uint8Array): void {
    if ((flags & this.#skippedFlag) !== 0) return;
    if (this.#first === undefined) this.#first = { bytes, isCompressed: (flags & compressedFlag) !== 0 };
    else this.#hasMore = true;
  }
}

function incomplete(): ConnectError {
  return new ConnectError("protocol error: incomplete envelope", Code.InvalidArgument);
}

function wrongNumber(what: string): ConnectError {
  return new ConnectError(`protocol error: ${what} for unary method`, Code.Unimplemented);
}

/** Messages in their envelopes. */
export function envelopes(...messages: readonly (readonly [flags: number, bytes: Uint8Array])[]): Uint8Array {
  const size = messages.reduce((sum, [, bytes]) => sum + prefixBytes + bytes.length, 0);
  const out = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [flags, bytes] of messages) {
    out.writeUInt8(flags, at);
    out.writeUInt32BE(bytes.length, at + 1);
    out.set(bytes, at + prefixBytes);
    at += prefixBytes + bytes.length;
  }
  return out;
}
