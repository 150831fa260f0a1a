import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { printJson } from "./print/print-json.ts";
import { wasmPrinter } from "./print/wasm-printer.ts";

/**
 * Prints a message in protobuf as ProtoJSON in UTF-8 in one step: with WebAssembly if available, otherwise
 * with protobuf-es.
 *
 * @param types the types that a google.protobuf.Any may contain
 * @throws Error for a message that cannot be printed, as protobuf-es does
 */
export function print(desc: DescMessage, bytes: Uint8Array, types?: Registry): Uint8Array {
  return printJson(desc, bytes, { types, wasm: wasmPrinter() });
}
