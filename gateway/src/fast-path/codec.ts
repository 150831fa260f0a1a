import { type DescMessage, fromBinary, type MessageShape, type Registry } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";
import { readJson } from "../protocol/read-json.ts";
import { printJson } from "./proto-json/print-json.ts";
import type { Codec } from "./wire.ts";

const decoder = new TextDecoder();

/**
 * Reads a request message. Fields that are not known are ignored in both codecs.
 *
 * @param depth how deep it may be nested
 * @param types the types that a google.protobuf.Any may have
 * @throws ConnectError INTERNAL for protobuf that is none, INVALID_ARGUMENT for JSON that does not fit
 */
export function parseMessage(
  desc: DescMessage,
  codec: Codec,
  bytes: Uint8Array,
  depth: number,
  types?: Registry,
): MessageShape<DescMessage> {
  return codec === "proto" ? parseBinary(desc, bytes, depth) : parseJson(desc, bytes, depth, types);
}

function parseBinary(desc: DescMessage, bytes: Uint8Array, recursionLimit: number) {
  try {
    return fromBinary(desc, bytes, { recursionLimit });
  } catch (error) {
    throw gatewayError("REQUEST_MALFORMED", `parse binary: ${textOf(error)}`, Code.Internal);
  }
}

function parseJson(
  desc: DescMessage,
  bytes: Uint8Array,
  recursionLimit: number,
  registry: Registry | undefined,
) {
  const options = { ignoreUnknownFields: true, recursionLimit, ...(registry && { registry }) };
  try {
    return readJson(desc, decoder.decode(bytes), options);
  } catch (error) {
    throw gatewayError("REQUEST_MALFORMED", textOf(error), Code.InvalidArgument, [], error);
  }
}

/**
 * Writes a response message, which comes as protobuf.
 *
 * @param types the types that a google.protobuf.Any may have
 * @throws ConnectError INTERNAL when it cannot be written as JSON
 */
export function printMessage(
  desc: DescMessage,
  codec: Codec,
  bytes: Uint8Array,
  types?: Registry,
): Uint8Array {
  if (codec === "proto") return bytes;
  try {
    return printJson(desc, bytes, types);
  } catch (error) {
    throw gatewayError("RESPONSE_NOT_PRINTABLE", textOf(error), Code.Internal, [], error);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
