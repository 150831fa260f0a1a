import type { Compression } from "@connectrpc/connect/protocol";
import { nextTurn } from "connect-rest-codec/internal";
import type { Call } from "../call/call.ts";
import { type CostOptions, checkJsonCost, checkWireCost } from "../protocol/check-cost.ts";
import type { Decompress } from "../protocol/decompress.ts";
import { COMPRESSED_FLAG, ENVELOPE_PREFIX_BYTES, envelopes } from "../protocol/envelope.ts";

/** All envelope flags except the only one that request messages may have. */
const OTHER_FLAGS = ~COMPRESSED_FLAG;

/** The maximum number of small messages that are read in one turn of the event loop. */
const MESSAGES_PER_TURN = 32;
/** The number of bytes that take as long to read as one small message. */
const BYTES_PER_MESSAGE = 4096;

/** The options for reading the messages of a request. */
export interface MessageOptions {
  readonly call: Pick<Call, "key" | "method" | "messageCost">;
  readonly signal: AbortSignal;
  readonly isJson: boolean;
  /** The compression; undefined for uncompressed messages and for an unknown compression. */
  readonly compression: Compression | undefined;
  readonly decompress: Decompress;
  /** The value of the limit `readMaxBytes`. */
  readonly maxBytes: number;
  readonly cost: CostOptions;
}

/** Decompresses a message, and rejects it if decoding costs too much. */
export async function readMessage(
  bytes: Uint8Array,
  isCompressed: boolean,
  options: MessageOptions,
): Promise<Uint8Array> {
  const { call, compression, decompress, signal } = options;
  const plain =
    isCompressed && compression !== undefined ? await decompress(compression, bytes, call, signal) : bytes;
  checkCost(plain, options);
  return plain;
}

function checkCost(plain: Uint8Array, { call, isJson, cost }: MessageOptions): void {
  const check = isJson ? checkJsonCost : checkWireCost;
  call.messageCost = Math.max(call.messageCost, check(call.method.input, plain, cost));
}

/**
 * Yields the enveloped messages of a body, decompressed, one envelope at a time. A single chunk may contain
 * thousands of messages. Reading all of them in one chain of promises would block the event loop, so other
 * work gets a turn after a number of messages.
 *
 * @param pieces pieces that end at message boundaries, from `wholeMessages`
 */
export async function* readEnvelopes(
  pieces: AsyncIterable<Uint8Array>,
  options: MessageOptions,
): AsyncGenerator<Uint8Array> {
  let spent = 0;
  for await (const piece of pieces) {
    for (const envelope of split(piece)) {
      spent += 1 + envelope.length / BYTES_PER_MESSAGE;
      const read = readEnvelope(envelope, options);
      // most messages are read synchronously; awaiting them would double the time
      yield read instanceof Promise ? await read : read;
      if (spent < MESSAGES_PER_TURN) continue;
      spent = 0;
      await nextTurn();
    }
  }
}

/** Splits a piece into its envelopes. If the last envelope is incomplete, it is yielded as it is. */
function* split(piece: Uint8Array): Generator<Uint8Array> {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const rest = bytes.length - at;
    const length = rest < ENVELOPE_PREFIX_BYTES ? rest : ENVELOPE_PREFIX_BYTES + bytes.readUInt32BE(at + 1);
    yield bytes.subarray(at, at + Math.min(length, rest));
    at += length;
  }
}

function readEnvelope(envelope: Uint8Array, options: MessageOptions): Uint8Array | Promise<Uint8Array> {
  const bytes = envelope.subarray(ENVELOPE_PREFIX_BYTES);
  const [flags = 0] = envelope;
  const isCompressed = (flags & COMPRESSED_FLAG) !== 0;
  const isUnknown = (flags & OTHER_FLAGS) !== 0 || (isCompressed && options.compression === undefined);
  // connect rejects such messages
  if (isUnknown || bytes.length > options.maxBytes || !isComplete(envelope)) return envelope;
  if (isCompressed) return readMessage(bytes, true, options).then((plain) => envelopes([0, plain]));
  checkCost(bytes, options);
  return envelope;
}

function isComplete(envelope: Uint8Array): boolean {
  const { buffer, byteOffset, byteLength } = envelope;
  if (byteLength < ENVELOPE_PREFIX_BYTES) return false;
  const length = new DataView(buffer, byteOffset, byteLength).getUint32(1);
  return byteLength === ENVELOPE_PREFIX_BYTES + length;
}

/**
 * Yields the decompressed message in a body without envelopes; connect rejects a message that is too large.
 */
export async function* readWhole(
  pieces: AsyncIterable<Uint8Array>,
  options: MessageOptions,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece.length > options.maxBytes ? piece : await readMessage(piece, true, options);
  }
}
