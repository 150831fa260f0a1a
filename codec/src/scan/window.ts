import type { Machine } from "./wasm.ts";

/** For objects that are open, half of it, and for keys that wait. */
const STACK_BYTES = 256 * 1024;
/** For keys that no field names. */
const REPORT_BYTES = 128 * 1024;
/** Zeros behind the input, since it is read in blocks. */
const ZEROS = 64;
/** The memory for the keys that have been there; see `checkJsonCost`. */
export const KEY_BYTES = 128 * 1024;

/** Addresses behind the tables of a machine for one body, or a window of one. */
export interface Window {
  readonly stack: number;
  readonly stackEnd: number;
  readonly input: number;
  readonly output: number;
  /** The end of the output, and the beginning of as much memory to put fields in order. */
  readonly end: number;
}

/** Makes room for input of a length. Throws RangeError where there is no memory. */
export function windowFor(machine: Machine, length: number): Window {
  const stack = align(machine.free);
  const stackEnd = stack + STACK_BYTES;
  const input = stackEnd + REPORT_BYTES;
  const output = align(input + length + ZEROS);
  const end = align(output + Math.max(length * 2 + 4096, KEY_BYTES));
  machine.reserve(end + (end - output) + ZEROS);
  machine.bytes.fill(0, input + length, input + length + ZEROS);
  return { stack, stackEnd, input, output, end };
}

function align(address: number): number {
  return (address + 63) & ~63;
}
