import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { inTurns } from "connect-rest-codec/internal";
import { envelopes } from "../protocol/envelope.ts";
import { isLarge, printMessage, printMessageInParts } from "./codec.ts";
import { pack } from "./grpc.ts";
import { checkWriteBytes } from "./message-limits.ts";
import type { Head } from "./wire.ts";

type Frame = Uint8Array | Promise<Uint8Array>;

/** The frames of messages that several streams send, by codec and compression. */
const SHARED = new WeakMap<Uint8Array, Map<string, Frame>>();

/**
 * This signal is never aborted: if a stream ends while its frame is printed, other streams may still wait for
 * the frame.
 */
const TURNS = { signal: new AbortController().signal, clock: { monotonic: () => performance.now() } };

/** The options for creating frames. */
export interface FrameOptions {
  /** The value of the limit `writeMaxBytes`. */
  readonly writeMaxBytes: number;
  /** The types allowed in a google.protobuf.Any. */
  readonly types: Registry;
}

/**
 * Returns a message in its envelope as sent on the wire, printed as JSON and compressed if the request head
 * requires that. Returns a promise only if printing or compressing takes long.
 *
 * @param bytes the message as protobuf
 * @throws ConnectError RESOURCE_EXHAUSTED over the size limit; INTERNAL if the message has no JSON form
 */
export function frameOf(output: DescMessage, bytes: Uint8Array, head: Head, options: FrameOptions): Frame {
  if (isLarge(head.codec, bytes, options.types)) {
    const work = printMessageInParts(output, bytes, options.types);
    return inTurns(work, { ...TURNS, bytes: bytes.length }).then((printed) => packed(printed, head, options));
  }
  return packed(printMessage(output, head.codec, bytes, options.types), head, options);
}

/**
 * Returns the frame of a message that several streams send. Messages are identified by their byte array. Each
 * message is printed, compressed and copied once per combination of codec and compression. Its cached frames
 * are released together with the byte array.
 */
export function sharedFrameOf(
  output: DescMessage,
  bytes: Uint8Array,
  head: Head,
  options: FrameOptions,
): Frame {
  const key = `${head.codec} ${head.responseCompression?.name ?? ""} ${output.typeName}`;
  const frames = SHARED.get(bytes) ?? new Map<string, Frame>();
  const known = frames.get(key);
  if (known !== undefined) return known;
  const frame = frameOf(output, bytes, head, options);
  frames.set(key, frame);
  SHARED.set(bytes, frames);
  if (!(frame instanceof Promise)) return frame;
  // later streams get the bytes directly, without waiting for a promise
  return frame.then((bytes) => {
    frames.set(key, bytes);
    return bytes;
  });
}

function packed(printed: Uint8Array, head: Head, { writeMaxBytes }: FrameOptions): Frame {
  checkWriteBytes(printed.length, writeMaxBytes);
  const envelope = pack(printed, head);
  return envelope instanceof Promise ? envelope.then((each) => envelopes(each)) : envelopes(envelope);
}
