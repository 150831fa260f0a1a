import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { printJson } from "./print/print-json.ts";
import { wasmPrinter } from "./print/wasm-printer.ts";

/**
 * Prints a message that is protobuf bytes as ProtoJSON in UTF-8, all at once: by WebAssembly where that is
 * allowed, else by protobuf-es.
 *
 * @param types the types that a google.protobuf.Any may have
 * @throws Error for what cannot be printed, as protobuf-es does
 */
export function print(desc: DescMessage, bytes: Uint8Array, types?: Registry): Uint8Array {
  return printJson(desc, bytes, { types, machine: wasmPrinter() });
}
