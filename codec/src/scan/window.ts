import type { WasmInstance } from "./wasm.ts";

/** The size of the stacks: half for objects in progress, half for deferred keys. */
const STACK_BYTES = 256 * 1024;
/** The size of the memory for reports of keys that no field reads. */
const REPORT_BYTES = 128 * 1024;
/** The number of zeros after the input, which the scanner reads in blocks. */
const ZEROS = 64;
/** The size of the filter of keys that have occurred; see `checkJsonCost`. */
export const KEY_BYTES = 128 * 1024;

/** The addresses after the tables that are used for one body, or for one window of a body. */
export interface Window {
  readonly stack: number;
  readonly stackEnd: number;
  readonly input: number;
  readonly output: number;
  /** The end of the output. The same amount of memory after it serves to sort fields. */
  readonly end: number;
}

/** Reserves memory for input of a given length. Throws RangeError when out of memory. */
export function windowFor(wasm: WasmInstance, length: number): Window {
  const stack = align(wasm.free);
  const stackEnd = stack + STACK_BYTES;
  const input = stackEnd + REPORT_BYTES;
  const output = align(input + length + ZEROS);
  const end = align(output + Math.max(length * 2 + 4096, KEY_BYTES));
  wasm.reserve(end + (end - output) + ZEROS);
  wasm.bytes.fill(0, input + length, input + length + ZEROS);
  return { stack, stackEnd, input, output, end };
}

function align(address: number): number {
  return (address + 63) & ~63;
}
