import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { pool as bufferPool } from "../buffers/pool.ts";
import { atOnce, type Work } from "../time/work.ts";
import { planOf } from "./plan.ts";
import { byProtobufEs } from "./protobuf-es.ts";
import { type PrintAtOnce, TakeApart } from "./take-apart.ts";
import type { WasmPrinter } from "./wasm-printer.ts";
import { Unprintable } from "./wire-cursor.ts";

/** Options for printing messages. */
export interface PrintOptions {
  /** The types that a google.protobuf.Any may contain. */
  readonly types: Registry | undefined;
  /** The WebAssembly printer; without it, protobuf-es prints. */
  readonly wasm: WasmPrinter | undefined;
}

/**
 * Prints a message in protobuf as ProtoJSON in one step. protobuf-es prints unusual messages, with the same
 * result.
 *
 * @throws Error for a message that cannot be printed, as protobuf-es does
 */
export function printJson(desc: DescMessage, bytes: Uint8Array, options: PrintOptions): Uint8Array {
  const { types, wasm } = options;
  if (wasm === undefined) return byProtobufEs(desc, bytes, types);
  return wasm.print(desc, bytes, types) ?? atOnce(printJsonInParts(desc, bytes, options));
}

/**
 * The number of bytes printed before yielding to other work. protobuf-es takes a few milliseconds for this
 * many bytes if the messages are tiny.
 */
const PART_BYTES = { wasm: 32 * 1024, protobufEs: 8 * 1024 };
/** The number of values printed before yielding to other work. */
const PART_WORK = 64 * 1024;
/** The number of bytes that are copied in less than a microsecond. */
const COPIED_PER_UNIT = 512;

/**
 * Like `printJson`, but in parts, for large messages.
 *
 * @param partBytes the approximate number of bytes printed before yielding to other work
 */
export function* printJsonInParts(
  desc: DescMessage,
  bytes: Uint8Array,
  { types, wasm }: PrintOptions,
  partBytes: number = wasm === undefined ? PART_BYTES.protobufEs : PART_BYTES.wasm,
): Work<Uint8Array> {
  const print: PrintAtOnce = (desc, part, depth) =>
    wasm === undefined
      ? usualByProtobufEs(desc, part, types, depth)
      : wasm.print(desc, part, types, depth, PART_WORK);
  const message = new TakeApart(bytes, print, partBytes);
  try {
    yield* message.message(planOf(desc), { from: 0, to: bytes.length }, 1);
    return yield* joined(message.parts);
  } catch (error) {
    if (!(error instanceof Unprintable)) throw error;
    return byProtobufEs(desc, bytes, types);
  }
}

/** Prints a part. Returns undefined on an error, because errors are reported for the whole message. */
function usualByProtobufEs(...part: Parameters<typeof byProtobufEs>): Uint8Array | undefined {
  try {
    return byProtobufEs(...part);
  } catch {
    return undefined;
  }
}

/** Joins parts into a buffer that the caller may release. */
function* joined(parts: readonly Uint8Array[]): Work<Uint8Array> {
  const bytes = bufferPool.acquire(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
    bufferPool.release(part);
    yield Math.ceil(part.length / COPIED_PER_UNIT);
  }
  return bytes;
}
