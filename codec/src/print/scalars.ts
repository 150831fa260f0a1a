import { isUtf8 } from "node:buffer";
import { ScalarType } from "@bufbuild/protobuf";
import type { JsonWriter } from "./json-writer.ts";
import { Unprintable, type WireCursor } from "./wire-cursor.ts";

/** A scalar as it is read: a number, an integer of 64 bits, a flag, or a range of bytes. */
export type Scalar = number | bigint | boolean | ByteRange;

/** Where a text or bytes are in the message. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Reads a scalar. Texts and bytes stay where they are. */
export function readScalar(cursor: WireCursor, scalar: ScalarType, limit: number): Scalar {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES: {
      const end = cursor.end(limit);
      const start = cursor.position;
      cursor.position = end;
      return { start, end };
    }
    case ScalarType.BOOL:
      cursor.varint64();
      return cursor.low !== 0 || cursor.high !== 0;
    case ScalarType.INT32:
      return cursor.varint32() | 0;
    case ScalarType.UINT32:
      return cursor.varint32();
    case ScalarType.SINT32:
      return zigzag32(cursor.varint32());
    case ScalarType.FIXED32:
      return cursor.fixed32();
    case ScalarType.SFIXED32:
      return cursor.fixed32() | 0;
    case ScalarType.FLOAT:
      return cursor.float();
    case ScalarType.DOUBLE:
      return cursor.double();
    case ScalarType.INT64:
      cursor.varint64();
      return signed64(cursor.low, cursor.high);
    case ScalarType.UINT64:
      cursor.varint64();
      return unsigned64(cursor.low, cursor.high);
    case ScalarType.SINT64:
      cursor.varint64();
      return zigzag64(BigInt.asUintN(64, bits64(cursor.low, cursor.high)));
    case ScalarType.FIXED64:
      return cursor.fixed64();
    case ScalarType.SFIXED64:
      return BigInt.asIntN(64, cursor.fixed64());
  }
}

/** Whether a scalar is the default of its type, which is not printed where it says nothing. -0 is none. */
export function isDefault(value: Scalar): boolean {
  if (typeof value === "object") return value.start === value.end;
  return typeof value === "number" ? Object.is(value, 0) : !value;
}

/** The default of a type, for entries of maps and wrappers that leave it out. */
export function defaultOf(scalar: ScalarType): Scalar {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return { start: 0, end: 0 };
  return scalar === ScalarType.BOOL ? false : 0;
}

/** Prints a scalar as ProtoJSON (https://protobuf.dev/programming-guides/json). */
export function printScalar(cursor: WireCursor, scalar: ScalarType, value: Scalar, out: JsonWriter): void {
  if (typeof value === "object") {
    printRange(cursor.bytes, scalar, value, out);
  } else if (isLong(scalar)) {
    out.ascii(`"${value}"`);
  } else {
    const text = Object.is(value, -0) ? "-0" : String(value);
    out.ascii(Number.isFinite(Number(value)) ? text : `"${text}"`);
  }
}

/** Prints a scalar as the key of an object. */
export function printKey(cursor: WireCursor, scalar: ScalarType, value: Scalar, out: JsonWriter): void {
  if (typeof value === "object") {
    printRange(cursor.bytes, scalar, value, out);
  } else {
    out.ascii(`"${value}"`);
  }
}

function printRange(bytes: Uint8Array, scalar: ScalarType, { start, end }: ByteRange, out: JsonWriter): void {
  if (scalar === ScalarType.BYTES) {
    out.base64(bytes.subarray(start, end));
    return;
  }
  printText(bytes, start, end, out);
}

/** Prints a text. One that is not UTF-8 is for the full decoder to read or refuse. */
export function printText(bytes: Uint8Array, start: number, end: number, out: JsonWriter): void {
  const isLong = out.isLong(start, end);
  if ((isLong || !out.text(bytes, start, end)) && !isUtf8(bytes.subarray(start, end))) {
    throw new Unprintable("text that is not UTF-8");
  }
  if (isLong) out.textLater(bytes, start, end);
}

function isLong(scalar: ScalarType): boolean {
  switch (scalar) {
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return true;
    default:
      return false;
  }
}

const TWO_32 = 0x1_0000_0000;
const SAFE_HIGH = 0x20_0000;

function unsigned64(low: number, high: number): number | bigint {
  return high < SAFE_HIGH ? high * TWO_32 + low : bits64(low, high);
}

function signed64(low: number, high: number): number | bigint {
  return high < SAFE_HIGH ? high * TWO_32 + low : BigInt.asIntN(64, bits64(low, high));
}

function bits64(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function zigzag32(bits: number): number {
  return (bits >>> 1) ^ -(bits & 1);
}

function zigzag64(bits: bigint): bigint {
  return (bits >> 1n) ^ -(bits & 1n);
}
