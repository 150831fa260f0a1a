import { type DescMessage, fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { rawJSON } from "../json/raw.ts";

/** The maximum nesting depth of messages, the same as in protobuf-es. */
export const MAX_DEPTH = 100;

/** -0 as a float. The bytes of -0 as a double end with these bytes. */
const MINUS_ZERO = Buffer.of(0, 0, 0, 0x80);

/**
 * Prints a message with protobuf-es.
 *
 * @param depth the nesting depth of the message, 1 for the outermost
 * @throws Error for a message that cannot be printed
 */
export function byProtobufEs(desc: DescMessage, bytes: Uint8Array, types?: Registry, depth = 1): Uint8Array {
  const message = fromBinary(desc, bytes, { recursionLimit: MAX_DEPTH + 1 - depth });
  const json = toJson(desc, message, types && { registry: types });
  const mayHaveMinusZero = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(MINUS_ZERO);
  return Buffer.from(JSON.stringify(json, mayHaveMinusZero ? withMinusZero : undefined));
}

/** Preserves -0, which JSON.stringify writes as 0. */
function withMinusZero(_key: string, value: unknown): unknown {
  return Object.is(value, -0) ? rawJSON("-0") : value;
}
