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
import { readJson } from "../protocol/read-json.ts";
import { brief } from "../text/show.ts";
import type { Codec } from "./wire.ts";

/** Responses beyond this size are printed in turns of the event loop. */
const LARGE_BYTES = 64 * 1024;
/** The same where protobuf-es prints, which takes milliseconds for as much that is nothing but messages. */
const LARGE_BYTES_WITHOUT_MACHINE = 16 * 1024;

/** The types of gateways that print without WebAssembly. */
const WITHOUT_MACHINE = new WeakSet<Registry>();

const decoder = new TextDecoder();

/** A request message, and what it cost to decode, or more. */
export interface ParsedMessage {
  readonly message: MessageShape<DescMessage>;
  readonly cost: number;
}

/**
 * Reads a request message. Fields that are not known are ignored in both codecs.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED for one that costs too much, INVALID_ARGUMENT for protobuf that is
 *   none, and for JSON that does not fit
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
  const text = decoder.decode(bytes);
  const cost = checkJsonCost(desc, text, options);
  try {
    return { message: readJson(desc, text, jsonOptions), cost };
  } catch (error) {
    throw gatewayError("REQUEST_MALFORMED", textOf(error), Code.InvalidArgument, [], error);
  }
}

/** Has the messages of a gateway, which is known by its types, printed without WebAssembly. */
export function printWithoutWebAssembly(types: Registry): void {
  WITHOUT_MACHINE.add(types);
}

function printOptions(types: Registry | undefined): PrintOptions {
  return { types, machine: types !== undefined && WITHOUT_MACHINE.has(types) ? undefined : wasmPrinter() };
}

/** Whether a response message takes so long to be printed that `printMessageInParts` is to do it. */
export function isLarge(codec: Codec, bytes: Uint8Array, types: Registry): boolean {
  if (codec === "proto" || bytes.length <= LARGE_BYTES_WITHOUT_MACHINE) return false;
  return bytes.length > LARGE_BYTES || printOptions(types).machine === undefined;
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
    return printJson(desc, bytes, printOptions(types));
  } catch (error) {
    throw notPrintable(error);
  }
}

/** Writes a response message as JSON like `printMessage`, in parts, for large ones. */
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

/** The text of an error, which may repeat all of what a peer sent. */
function textOf(error: unknown): string {
  if (error instanceof ConnectError) return brief(error.rawMessage);
  return brief(error instanceof Error ? error.message : String(error));
}
