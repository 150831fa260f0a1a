import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import type { Call } from "../call/call.ts";
import { CallEnd } from "../call/call-end.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import type { HttpRequest } from "../listener/http.ts";
import type { Decompress } from "../protocol/decompress.ts";
import { type ParsedMessage, parseMessage } from "./codec.ts";
import { checkReadBytes } from "./message-limits.ts";
import { readBody } from "./read-body.ts";
import type { BodyReader, Codec, Head, RawMessage } from "./wire.ts";

/** The options for reading a request message. */
export interface ReadOptions {
  readonly limits: Limits;
  /** The types allowed in a google.protobuf.Any. */
  readonly types: Registry;
  readonly decompress: Decompress;
}

/** A request message before validation. */
export interface ReadMessage extends ParsedMessage {
  /** The error in the rest of the body, after the message; undefined if there is none. */
  readonly problem: ConnectError | undefined;
}

/**
 * Reads the single message of a request: reads the body, decompresses it and parses it, within the limits.
 *
 * @param reader creates the body reader; not called if the head contains the message
 * @throws ConnectError
 */
export async function readMessage(
  call: Call,
  request: HttpRequest,
  head: Head,
  reader: (maxBytes: number) => BodyReader,
  { limits, types, decompress }: ReadOptions,
  end: CallEnd | AbortSignal,
): Promise<ReadMessage> {
  const { readMaxBytes, bodyIdleTimeoutMs } = limits;
  const raw: RawMessage =
    head.message === undefined
      ? await readBody(request, reader(readMaxBytes), call, end, bodyIdleTimeoutMs)
      : { bytes: head.message, isCompressed: head.requestCompression !== undefined };
  const bytes = raw.isCompressed
    ? await decompress(compressionOf(head), raw.bytes, call, signalOf(end))
    : raw.bytes;
  return { ...parseRequest(call.method.input, head.codec, bytes, { limits, types }), problem: raw.problem };
}

/**
 * Parses the decompressed message of a request, within the limits.
 *
 * @throws ConnectError
 */
export function parseRequest(
  desc: DescMessage,
  codec: Codec,
  bytes: Uint8Array,
  { limits, types }: Pick<ReadOptions, "limits" | "types">,
): ParsedMessage {
  checkReadBytes(bytes.length, limits.readMaxBytes, true);
  return parseMessage(desc, codec, bytes, { limit: limits.messageCost, depth: limits.messageDepth, types });
}

function signalOf(end: CallEnd | AbortSignal): AbortSignal {
  return end instanceof CallEnd ? end.signal : end;
}

/**
 * Returns the compression of the request message.
 *
 * @throws ConnectError INTERNAL if the head names no compression
 */
export function compressionOf(head: Head): Compression {
  if (head.requestCompression !== undefined) return head.requestCompression;
  const text = "received compressed envelope, but do not know how to decompress";
  throw gatewayError("REQUEST_MALFORMED", text, Code.Internal);
}
