/** Reads scalars and enums from the wire format and prints them. */
import { ALSE, NULL, QUOTE, TRUE } from "./characters";
import * as L from "./layout";
import { double, signed, unsigned } from "./number";
import { copy, put, q, writeTo } from "./output";
import { base64, text } from "./text";
import { fixed32, fixed64, moveTo, p, varint } from "./wire";

/** Prints the string or bytes value that ends at `to`. */
export function range(kind: u32, to: usize): void {
  if (kind === L.KIND_TEXT) {
    text(p, to);
  } else {
    base64(p, to);
  }
  moveTo(to);
}

/** Returns the value of a fixed-size or varint scalar as 64 bits. The default value has only zero bits. */
export function bitsOf(kind: u32): u64 {
  switch (kind) {
    case L.KIND_BOOL:
      return varint() !== 0 ? 1 : 0;
    case L.KIND_INT32:
      return <u64>(<i64>(<i32>varint()));
    case L.KIND_UINT32:
      return varint() & 0xffffffff;
    case L.KIND_SINT32: {
      const bits = <u32>varint();
      return <u64>(<i64>(<i32>((bits >> 1) ^ -(bits & 1))));
    }
    case L.KIND_SINT64: {
      const bits = varint();
      return (bits >> 1) ^ (0 - (bits & 1));
    }
    case L.KIND_FIXED32:
    case L.KIND_FLOAT:
      return fixed32();
    case L.KIND_SFIXED32:
      return <u64>(<i64>(<i32>fixed32()));
    case L.KIND_FIXED64:
    case L.KIND_SFIXED64:
    case L.KIND_DOUBLE:
      return fixed64();
    default:
      return varint();
  }
}

export function scalar(kind: u32, bits: u64): void {
  if (kind >= <u32>L.KIND_INT64 && kind <= <u32>L.KIND_SFIXED64) {
    put(QUOTE);
    bare(kind, bits);
    put(QUOTE);
  } else {
    bare(kind, bits);
  }
}

/** Prints a scalar. 64-bit integers are printed without quotes. */
export function bare(kind: u32, bits: u64): void {
  switch (kind) {
    case L.KIND_BOOL:
      flag(bits !== 0);
      return;
    case L.KIND_DOUBLE:
      doubleOrWord(reinterpret<f64>(bits));
      return;
    case L.KIND_FLOAT:
      doubleOrWord(<f64>reinterpret<f32>(<u32>bits));
      return;
    case L.KIND_UINT32:
    case L.KIND_FIXED32:
    case L.KIND_UINT64:
    case L.KIND_FIXED64:
      unsigned(bits);
      return;
    default:
      signed(<i64>bits);
  }
}

export function flag(value: bool): void {
  if (value) {
    store<u32>(q, TRUE);
    writeTo(q + 4);
  } else {
    put(0x66);
    store<u32>(q, ALSE);
    writeTo(q + 4);
  }
}

const NAN = memory.data<u8>([0x22, 0x4e, 0x61, 0x4e, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
/** `"-Infinity"` */
const INFINITY = memory.data<u8>([
  0x22, 0x2d, 0x49, 0x6e, 0x66, 0x69, 0x6e, 0x69, 0x74, 0x79, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0,
]);

function doubleOrWord(value: f64): void {
  if (isFinite(value)) {
    double(value);
  } else if (value < 0) {
    copy(INFINITY, 11);
  } else if (value > 0) {
    put(QUOTE);
    copy(INFINITY + 2, 9);
  } else {
    copy(NAN, 5);
  }
}

/** Returns the table row of the enum value with a number; 0 if the number has no name. */
export function nameOf(names: usize, number: i32): usize {
  const mask = load<u32>(names, L.ENUM_MASK);
  const rows: usize = load<u32>(names, L.ENUM_ROWS);
  let i = (<u32>number * 0x9e3779b1) >> 8;
  while (true) {
    i &= mask;
    const row = rows + <usize>i * L.NAME_SIZE;
    if (load<u32>(row, L.NAME_TEXT) === 0) return 0;
    if (load<i32>(row, L.NAME_NUMBER) === number) return row;
    i++;
  }
}

export function enumValue(names: usize, row: usize, number: i32): void {
  if (load<u32>(names, L.ENUM_NULL)) {
    store<u32>(q, NULL);
    writeTo(q + 4);
  } else if (row === 0) {
    signed(number);
  } else {
    copy(load<u32>(row, L.NAME_TEXT), load<u32>(row, L.NAME_LENGTH));
  }
}
