/** Locates the fields of a large message and the entries of a large map. */
import { ScalarType } from "@bufbuild/protobuf";
import type { Work } from "../time/work.ts";
import { type FieldPlan, type MessagePlan, wireTypeOf } from "./plan.ts";
import { Unprintable, WireCursor } from "./wire-cursor.ts";

/** A range of bytes. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** All occurrences of a field, including their tags. */
export interface Run extends Range {
  readonly field: FieldPlan;
  /** The first tag. */
  readonly tag: number;
  /** The number of known fields that precede this field in the message type. */
  readonly place: number;
}

/** The number of fields skipped before yielding to other work. */
const FIELDS_AT_ONCE = 4096;

/**
 * Locates the known fields of a message, by number.
 *
 * @throws Unprintable if a field occurs in two places or has an unexpected wire type, or if a oneof has
 *   several members
 */
export function* runsOf(bytes: Uint8Array, { fields }: MessagePlan, { from, to }: Range): Work<Run[]> {
  const runs: Run[] = [];
  const cursor = new WireCursor(bytes, from);
  let count = 0;
  while (cursor.position < to) {
    const start = cursor.position;
    const tag = cursor.tag();
    do {
      cursor.skip(tag & 7, to);
      if (++count % FIELDS_AT_ONCE === 0) yield FIELDS_AT_ONCE;
    } while (cursor.nextIs(tag, to));
    const field = fields.get(tag >>> 3);
    if (field === undefined) continue;
    if (!isTagOf(field, tag)) throw new Unprintable("another wire type");
    runs.push({ field, tag, from: start, to: cursor.position, place: runs.length });
  }
  runs.sort((a, b) => a.field.index - b.field.index);
  expectEachOnce(runs);
  return runs;
}

function isTagOf({ kind, value }: FieldPlan, tag: number): boolean {
  return (tag & 7) === (kind === "map" ? 2 : value.wireType) || (kind === "list" && (tag & 7) === 2);
}

/** Rejects oneofs with several members. Parsers keep the last member, but serializers write only one. */
function expectEachOnce(runs: readonly Run[]): void {
  const oneofs = new Set<number>();
  for (const [index, { field }] of runs.entries()) {
    if (field === runs[index - 1]?.field || oneofs.has(field.oneof)) throw new Unprintable("a field twice");
    if (field.oneof >= 0) oneofs.add(field.oneof);
  }
}

/** An entry of a map. */
export interface Entry {
  /** An ID that all encodings of a key share. */
  readonly id: string;
  /** The content of a string key; for other keys, the key field with its tag. Empty if the key is absent. */
  readonly key: Range;
  /** The value without its tag and length. Undefined if the value is absent or is not length-delimited. */
  readonly value: Range | undefined;
}

/** Reads the map entry whose tag begins at a position. The key is field 1, the value is field 2. */
export function entryAt(bytes: Uint8Array, { mapKey, value }: FieldPlan, { from, to }: Range): Entry {
  if (mapKey === undefined) throw new Unprintable("no map");
  const cursor = new WireCursor(bytes, from);
  cursor.tag();
  const end = cursor.end(to);
  const start = cursor.position;
  const id = keyId(cursor, mapKey, end);
  const key = {
    from: mapKey === ScalarType.STRING ? cursor.position - id.length : start,
    to: cursor.position,
  };
  let range: Range | undefined;
  if (cursor.nextIs((2 << 3) | value.wireType, end)) {
    const first = cursor.position;
    cursor.skip(value.wireType, end);
    if (value.wireType === 2) range = withoutLength(bytes, { from: first, to: cursor.position });
  }
  if (cursor.position !== end) throw new Unprintable("more in the entry of a map");
  return { id, key, value: range };
}

/** Returns the content of a length-delimited value. */
export function withoutLength(bytes: Uint8Array, { from, to }: Range): Range {
  const cursor = new WireCursor(bytes, from);
  cursor.end(to);
  return { from: cursor.position, to };
}

function keyId(cursor: WireCursor, mapKey: ScalarType, end: number): string {
  const wireType = wireTypeOf(mapKey);
  let from = cursor.position;
  if (cursor.nextIs((1 << 3) | wireType, end)) {
    from = cursor.position;
    cursor.skip(wireType, end);
    if (wireType === 2) from = withoutLength(cursor.bytes, { from, to: cursor.position }).from;
  } else if (wireType === 1 || wireType === 5) {
    // otherwise an absent key and an explicit zero would be two encodings of the same key
    throw new Unprintable("a key of a fixed length that is absent");
  } else {
    cursor.low = 0;
    cursor.high = 0;
  }
  switch (mapKey) {
    case ScalarType.BOOL:
      return String(cursor.low !== 0 || cursor.high !== 0);
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.SINT32:
      return String(cursor.low);
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
      return `${cursor.high}:${cursor.low}`;
    default:
      return latin1(cursor.bytes, from, cursor.position);
  }
}

/** Returns a string with one character for each byte. */
function latin1({ buffer, byteOffset }: Uint8Array, from: number, to: number): string {
  return Buffer.from(buffer, byteOffset + from, to - from).toString("latin1");
}
