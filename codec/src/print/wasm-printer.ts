import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { pool as bufferPool } from "../buffers/pool.ts";
import { planOf } from "./plan.ts";
import { byProtobufEs } from "./protobuf-es.ts";
import { WasmInstance } from "./wasm.ts";
import { Tables } from "./wasm-tables.ts";

/** The size of the stack for messages and maps in progress. */
const STACK_BYTES = 64 * 1024;
/** The number of zeros after the input, which end truncated content. */
const ZEROS = 32;
/** The maximum length of the JSON. WebAssembly memory never shrinks, so longer JSON is printed in parts. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;
/** The limit for table memory, more than any process should need. */
const MAX_TABLE_BYTES = 32 * 1024 * 1024;
const ANY_WORK = 0x7fff_ffff;

/** Converts protobuf to ProtoJSON with WebAssembly. protobuf-es handles unusual messages. */
export class WasmPrinter {
  private readonly wasm = new WasmInstance((id, bytes) => this.other(id, bytes));
  private readonly tables = new Tables(this.wasm);
  /** The types that a google.protobuf.Any in the current message may contain. */
  private registry: Registry | undefined;

  /**
   * Returns the JSON of a message, in a buffer that the caller may release; undefined for a message that is
   * too large or unusual.
   *
   * @param depth the nesting depth of the message, 1 for the outermost
   * @param maxWork the approximate maximum number of values; a message with more values takes too long in one
   *   step
   */
  print(
    desc: DescMessage,
    bytes: Uint8Array,
    types: Registry | undefined,
    depth: number = 1,
    maxWork: number = ANY_WORK,
  ): Uint8Array | undefined {
    this.registry = types;
    try {
      if (planOf(desc).form === "other") return byProtobufEs(desc, bytes, types, depth);
      return this.printed(desc, bytes, depth, maxWork);
    } catch {
      // the message is unusual, too large or too deep, or the memory is exhausted
      return undefined;
    }
  }

  private printed(
    desc: DescMessage,
    bytes: Uint8Array,
    depth: number,
    maxWork: number,
  ): Uint8Array | undefined {
    const { wasm } = this;
    if (wasm.free > MAX_TABLE_BYTES) return undefined;
    const root = this.tables.message(desc);
    const stack = align(wasm.free + ZEROS);
    const from = stack + STACK_BYTES;
    const to = from + bytes.length;
    const output = align(to + ZEROS);
    wasm.reserve(output);
    wasm.bytes.set(bytes, from);
    wasm.bytes.fill(0, to, to + ZEROS);
    const length = wasm.exports.print(root, stack, from, to, output, MAX_JSON_BYTES, maxWork, depth);
    const json = bufferPool.acquire(length);
    json.set(wasm.bytes.subarray(output, output + length));
    return json;
  }

  private other(id: number, bytes: Uint8Array): Uint8Array | undefined {
    const desc = this.tables.descs[id];
    return desc && byProtobufEs(desc, bytes, this.registry);
  }
}

let shared: WasmPrinter | "none" | undefined;

/** Returns the printer of this process; undefined if WebAssembly is not available. */
export function wasmPrinter(): WasmPrinter | undefined {
  if (shared === undefined) {
    try {
      shared = new WasmPrinter();
    } catch {
      // the option --jitless or a policy disables WebAssembly
      shared = "none";
    }
  }
  return shared === "none" ? undefined : shared;
}

function align(address: number): number {
  return (address + 63) & ~63;
}
