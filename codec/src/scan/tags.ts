/** Tags of protobuf fields. */
export const VARINT = 0;
const BITS_64 = 1;
export const DELIMITED = 2;
const BITS_32 = 5;

/** The wire types of scalars; all others are varints. */
export const WIRE_TYPES: Readonly<Record<string, number>> = {
  string: DELIMITED,
  textBytes: DELIMITED,
  bytes: DELIMITED,
  fixed32: BITS_32,
  sfixed32: BITS_32,
  float: BITS_32,
  fixed64: BITS_64,
  sfixed64: BITS_64,
  double: BITS_64,
};

/** Returns the tag of a field. */
export function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

/** Returns a varint as bytes. */
export function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
