/**
 * The layout of the scanner's tables in linear memory, as codec/scanner/layout.ts reads them. Sizes and
 * offsets are in 32-bit words.
 */

/** The scanner writes the last word. */
export const MESSAGE_WORDS = 12;
export const MESSAGE = {
  rows: 0,
  mask: 1,
  ranks: 2,
  collector: 3,
  collectorTag: 4,
  choices: 5,
  choiceCount: 6,
  shared: 7,
  oneofs: 8,
  oneofCount: 9,
  place: 10,
  guess: 11,
} as const;
export const PATH_WORDS = 4;
export const COLLECTOR = { none: 0, raw: 1, ignore: 2, left: 3, struct: 4 } as const;

export const ROW_WORDS = 8;
export const ROW_SHARED = 1;
export const ROW_OWN = 2;
export const ROW_CHOICE = 4;

export const FIELD_WORDS = 8;
export const FIELD = { kind: 0, tagLength: 1, tag: 2, argument: 4, flags: 5 } as const;
export const FIELD_LOOSE = 1;
export const FIELD_COMMAS = 2;
export const FIELD_OR_NULL = 4;
export const FIELD_HANDED = 8;
export const TEXT_BYTES = 1;
export const KIND = {
  handover: 0,
  string: 1,
  textBytes: 1,
  bool: 2,
  int32: 3,
  uint32: 4,
  sint32: 5,
  fixed32: 6,
  sfixed32: 7,
  int64: 8,
  uint64: 9,
  sint64: 10,
  fixed64: 11,
  sfixed64: 12,
  double: 13,
  float: 14,
  enum: 15,
  count: 16,
  notation: 17,
  message: 18,
  list: 19,
  map: 20,
  wrapper: 21,
  unwrap: 22,
  byType: 23,
  value: 24,
  struct: 25,
  listValue: 26,
  slot: 27,
  payload: 28,
  envelope: 29,
  status: 30,
  page: 31,
  bytes: 32,
  path: 33,
  errors: 34,
} as const;

/** The notations of times and durations; a format has an address instead. */
export const NOTATION = { isoTime: 0, duration: 1, isoDuration: 2 } as const;

export const TEST = {
  word: 0,
  present: 1,
  absent: 2,
  array: 3,
  object: 4,
  string: 5,
  number: 6,
  boolean: 7,
} as const;

export const WORD_WORDS = 5;
export const WORD_AS_STRING = 1;
export const WORD_AS_NUMBER = 2;
/** The JSON types of a field that has a separate kind for each type, in the order of its table. */
export const TYPES = ["string", "number", "boolean", "array", "object"] as const;

/** The word offsets in the resume point that codec/scanner/places.ts records. */
export const PLACE = {
  list: 0,
  listInput: 1,
  listOutput: 2,
  listSteps: 3,
  itemInput: 4,
  itemOutput: 5,
  itemReports: 6,
  itemIndex: 7,
} as const;
