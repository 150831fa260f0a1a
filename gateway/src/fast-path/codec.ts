import { type DescMessage, fromBinary, type MessageShape, type Registry } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type PrintOptions,
  printJson,
  printJsonInParts,
  type Work,
  wasmPrinter,
} from "connect-rest-codec/internal";
import { gatewayError } from "../call/gateway-error.ts";
import { type CostOptions, checkJsonCost, checkWireCost } from "../protocol/check-cost.ts";
import { checkText, jsonText, readJson } from "../protocol/read-json.ts";
import { brief } from "../text/show.ts";
import type { Codec } from "./wire.ts";

/** Responses over this size, in bytes, are serialized over several turns of the event loop. */
const LARGE_BYTES = 64 * 1024;
/**
 * The same limit for printing with protobuf-es, which takes milliseconds if a message of this size consists
 * of nested messages.
 */
const LARGE_BYTES_WITHOUT_WASM = 16 * 1024;

/** The type registries of the gateways that print without WebAssembly. */
const WITHOUT_WASM = new WeakSet<Registry>();

/** A request message, and an upper bound of its decoding cost. */
export interface ParsedMessage {
  readonly message: MessageShape<DescMessage>;
  readonly cost: number;
}

/**
 * Parses a request message. Both codecs ignore unknown fields.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED if decoding the message costs too much; INVALID_ARGUMENT for
 *   invalid protobuf and for JSON that does not match the type
 */
export function parseMessage(
  desc: DescMessage,
  codec: Codec,
  bytes: Uint8Array,
  options: CostOptions,
): ParsedMessage {
  return codec === "proto" ? parseBinary(desc, bytes, options) : parseJson(desc, bytes, options);
}

function parseBinary(desc: DescMessage, bytes: Uint8Array, options: CostOptions): ParsedMessage {
  const cost = checkWireCost(desc, bytes, options);
  try {
    return { message: fromBinary(desc, bytes, { recursionLimit: options.depth }), cost };
  } catch (error) {
    throw gatewayError("REQUEST_MALFORMED", `parse binary: ${textOf(error)}`, Code.InvalidArgument);
  }
}

function parseJson(desc: DescMessage, bytes: Uint8Array, options: CostOptions): ParsedMessage {
  const { depth: recursionLimit, types: registry } = options;
  const jsonOptions = { ignoreUnknownFields: true, recursionLimit, ...(registry && { registry }) };
  const text = jsonText(bytes);
  const cost = checkJsonCost(desc, text, options);
  try {
    const message = readJson(desc, text, jsonOptions);
    checkText(text, bytes);
    return { message, cost };
  } catch (error) {
    throw gatewayError("REQUEST_MALFORMED", textOf(error), Code.InvalidArgument, [], error);
  }
}

/** Makes the gateway with this type registry print messages without WebAssembly. */
export function printWithoutWebAssembly(types: Registry): void {
  WITHOUT_WASM.add(types);
}

function printOptions(types: Registry | undefined): PrintOptions {
  return { types, wasm: types !== undefined && WITHOUT_WASM.has(types) ? undefined : wasmPrinter() };
}

/** Returns whether a response message is so large that `printMessageInParts` must print it. */
export function isLarge(codec: Codec, bytes: Uint8Array, types: Registry): boolean {
  if (codec === "proto" || bytes.length <= LARGE_BYTES_WITHOUT_WASM) return false;
  return bytes.length > LARGE_BYTES || printOptions(types).wasm === undefined;
}

/**
 * Prints a response message that is encoded as protobuf.
 *
 * @param types the types allowed in a google.protobuf.Any
 * @throws ConnectError INTERNAL if the message has no JSON form
 */
export function printMessage(
  desc: DescMessage,
  codec: Codec,
  bytes: Uint8Array,
  types?: Registry,
): Uint8Array {
  if (codec === "proto") return bytes;
  try {
    return printJson(desc, bytes, printOptions(types));
  } catch (error) {
    throw notPrintable(error);
  }
}

/** Prints a large response message as JSON, in parts. */
export function* printMessageInParts(
  desc: DescMessage,
  bytes: Uint8Array,
  types: Registry,
): Work<Uint8Array> {
  try {
    return yield* printJsonInParts(desc, bytes, printOptions(types));
  } catch (error) {
    throw notPrintable(error);
  }
}

function notPrintable(error: unknown): ConnectError {
  return gatewayError("RESPONSE_NOT_PRINTABLE", textOf(error), Code.Internal, [], error);
}

/** Returns the message of an error, shortened because it may repeat a peer's entire input. */
function textOf(error: unknown): string {
  if (error instanceof ConnectError) return brief(error.rawMessage);
  return brief(error instanceof Error ? error.message : String(error));
}
