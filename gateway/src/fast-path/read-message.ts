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

/** What reading a request message needs. */
export interface ReadOptions {
  readonly limits: Limits;
  /** The types that a google.protobuf.Any may have. */
  readonly types: Registry;
  readonly decompress: Decompress;
}

/** A request message that is not validated yet. */
export interface ReadMessage extends ParsedMessage {
  /** What is wrong with the rest of the body; undefined for nothing. */
  readonly problem: ConnectError | undefined;
}

/**
 * Reads the one message of a request: its body, decompressed and parsed, within the limits.
 *
 * @param reader makes what reads the body, where the message is there
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
 * Parses the message of a request, which is no longer compressed, within the limits.
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
 * What decompresses a message.
 *
 * @throws ConnectError INTERNAL where the head does not say
 */
export function compressionOf(head: Head): Compression {
  if (head.requestCompression !== undefined) return head.requestCompression;
  const text = "received compressed envelope, but do not know how to decompress";
  throw gatewayError("REQUEST_MALFORMED", text, Code.Internal);
}
