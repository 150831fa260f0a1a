/**
 * The layout of the printer's tables in linear memory, as codec/printer/layout.ts reads them. Sizes and
 * offsets are in 32-bit words.
 */

export const MESSAGE_WORDS = 6;
export const FORM = {
  fields: 0,
  wrapper: 1,
  timestamp: 2,
  struct: 3,
  value: 4,
  list: 5,
  other: 6,
} as const;

export const FIELD_WORDS = 11;
export const SHAPE = { singular: 0, list: 1, map: 2 } as const;
export const KIND = {
  text: 1,
  bytes: 2,
  bool: 3,
  int32: 4,
  uint32: 5,
  sint32: 6,
  fixed32: 7,
  sfixed32: 8,
  int64: 9,
  uint64: 10,
  sint64: 11,
  fixed64: 12,
  sfixed64: 13,
  double: 14,
  float: 15,
  enum: 16,
  message: 17,
} as const;

export const ENUM_WORDS = 5;
export const NAME_WORDS = 3;
