import { type DescMessage, fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { rawJSON } from "../json/raw.ts";

/** How deep messages may be nested, as in protobuf-es. */
export const MAX_DEPTH = 100;

/** -0 as a float; as a double it ends so. */
const MINUS_ZERO = Buffer.of(0, 0, 0, 0x80);

/**
 * Prints a message by protobuf-es.
 *
 * @param depth of the message in another one, 1 for the outermost
 * @throws Error for what cannot be printed
 */
export function byProtobufEs(desc: DescMessage, bytes: Uint8Array, types?: Registry, depth = 1): Uint8Array {
  const message = fromBinary(desc, bytes, { recursionLimit: MAX_DEPTH + 1 - depth });
  const json = toJson(desc, message, types && { registry: types });
  const mayHaveMinusZero = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(MINUS_ZERO);
  return Buffer.from(JSON.stringify(json, mayHaveMinusZero ? withMinusZero : undefined));
}

/** JSON.stringify writes 0 for it. */
function withMinusZero(_key: string, value: unknown): unknown {
  return Object.is(value, -0) ? rawJSON("-0") : value;
}
