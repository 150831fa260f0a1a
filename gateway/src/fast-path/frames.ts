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
 * Never aborted: other streams may wait for a frame whose printing was begun for one that has ended since.
 */
const TURNS = { signal: new AbortController().signal, clock: { monotonic: () => performance.now() } };

/** What makes frames of messages. */
export interface FrameOptions {
  /** The limit `writeMaxBytes`. */
  readonly writeMaxBytes: number;
  /** The types that a google.protobuf.Any may have. */
  readonly types: Registry;
}

/**
 * A message in its envelope, as it goes over the wire: printed as JSON and compressed where the head says so.
 * A promise only where that takes time.
 *
 * @param bytes the message as protobuf
 * @throws ConnectError RESOURCE_EXHAUSTED for one beyond the limit; INTERNAL for one that has no form in JSON
 */
export function frameOf(output: DescMessage, bytes: Uint8Array, head: Head, options: FrameOptions): Frame {
  if (isLarge(head.codec, bytes, options.types)) {
    const work = printMessageInParts(output, bytes, options.types);
    return inTurns(work, { ...TURNS, bytes: bytes.length }).then((printed) => packed(printed, head, options));
  }
  return packed(printMessage(output, head.codec, bytes, options.types), head, options);
}

/**
 * The same for a message that several streams send, recognized by the very same bytes: it is printed,
 * compressed and copied once for all that want it alike. What is kept goes with the bytes.
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
  // streams that come later get the bytes, and need not wait for a promise
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
