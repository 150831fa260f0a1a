import { type DescMessage, fromBinary, type Registry, toJsonString } from "@bufbuild/protobuf";
import { pool as bufferPool } from "../buffers/pool.ts";
import type { Work } from "../time/work.ts";
import { type JsonPart, JsonWriter, type Later } from "./json-writer.ts";
import { planOf } from "./plan.ts";
import { Disorder, MAX_DEPTH, type Printer, printMessage, use } from "./print-message.ts";
import { StructPrinter } from "./print-struct.ts";
import { Unprintable, WireCursor } from "./wire-cursor.ts";

/** Of messages that are printed at once. */
const whole = new JsonWriter();
const wholeStructs = new StructPrinter(whole, MAX_DEPTH);

/**
 * Prints a message that is protobuf bytes as ProtoJSON, without a message in between. The bytes are expected as
 * serialisers write them: fields in the order of their numbers; those in another order take longer. Whatever else is unusual
 * is decoded and printed by protobuf-es, with the same result.
 *
 * @param types the types that a google.protobuf.Any may have
 * @throws Error for what cannot be printed, as protobuf-es does
 */
export function printJson(desc: DescMessage, bytes: Uint8Array, types?: Registry): Uint8Array {
  const print = (sorts: boolean) => {
    whole.clear();
    use({ out: whole, structs: wholeStructs, registry: types, sorts });
    printMessage(new WireCursor(bytes), planOf(desc), bytes.length, 1);
    return whole.copy();
  };
  try {
    return orSorted(print);
  } catch (error) {
    if (!(error instanceof Unprintable)) throw error;
    return unusual(desc, bytes, types);
  }
}

/** Prints with fields in the order of their numbers, and once more where they are in another one. */
function orSorted<T>(print: (sorts: boolean) => T): T {
  try {
    return print(false);
  } catch (error) {
    if (!(error instanceof Disorder)) throw error;
    return print(true);
  }
}

/** Bytes of JSON that are printed before others have their turn. */
const PART_BYTES = 64 * 1024;
/** Bytes that are copied in less than a microsecond. */
const COPIED_PER_UNIT = 512;

/**
 * Like `printJson`, in parts, for large messages.
 *
 * @param partBytes how many bytes are printed before others have their turn, about
 */
export function* printJsonInParts(
  desc: DescMessage,
  bytes: Uint8Array,
  types?: Registry,
  partBytes: number = PART_BYTES,
): Work<Uint8Array> {
  const print = (sorts: boolean) => {
    const writer = new JsonWriter(partBytes);
    const structs = new StructPrinter(writer, MAX_DEPTH);
    return partsOf({ out: writer, structs, registry: types, sorts }, () => {
      printMessage(new WireCursor(bytes), planOf(desc), bytes.length, 1);
      return [];
    });
  };
  try {
    return yield* joined(flat(yield* partsOrSorted(print)));
  } catch (error) {
    if (!(error instanceof Unprintable)) throw error;
    return unusual(desc, bytes, types);
  }
}

function* partsOrSorted<T>(print: (sorts: boolean) => Work<T>): Work<T> {
  try {
    return yield* print(false);
  } catch (error) {
    if (!(error instanceof Disorder)) throw error;
    return yield* print(true);
  }
}

/** Prints something, and then what was left to be printed later. */
function* partsOf(printer: Printer, write: Later["write"]): Work<readonly JsonPart[]> {
  const { out: writer } = printer;
  const parts: JsonPart[] = [];
  use(printer);
  for (const _ of write()) {
    if (!writer.isSpent) continue;
    const part = writer.part();
    parts.push(part);
    yield part.bytes.length;
    use(printer);
  }
  parts.push(writer.part());
  for (const { later } of parts) {
    for (const each of later) {
      yield PART_BYTES;
      each.parts.push(...(yield* partsOf(printer, each.write)));
    }
  }
  return parts;
}

/** Pieces as one, in a buffer that may be released. */
function* joined(pieces: readonly Uint8Array[]): Work<Uint8Array> {
  const bytes = bufferPool.acquire(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
    yield Math.ceil(piece.length / COPIED_PER_UNIT);
  }
  return bytes;
}

function flat(parts: readonly JsonPart[]): Uint8Array[] {
  return parts.flatMap(({ bytes, later }) => {
    let from = 0;
    const pieces = later.flatMap((each) => {
      const before = bytes.subarray(from, each.at);
      from = each.at;
      return [before, ...flat(each.parts)];
    });
    return [...pieces, bytes.subarray(from)];
  });
}

/** By protobuf-es, all at once. */
function unusual(desc: DescMessage, bytes: Uint8Array, types: Registry | undefined): Uint8Array {
  return Buffer.from(toJsonString(desc, fromBinary(desc, bytes), types && { registry: types }));
}
