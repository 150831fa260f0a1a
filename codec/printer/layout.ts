/**
 * The layout of the tables that drive the printer. The host writes the tables
 * (codec/src/print/wasm-tables.ts) as structures of 32-bit words in linear memory. Offsets are in bytes.
 */

/** The form in which a message is printed. */
export const MESSAGE_FORM: usize = 0;
/** The number by which the host identifies the message. */
export const MESSAGE_ID: usize = 4;
/**
 * The addresses of the fields whose numbers are below a limit, indexed by number; 0 if the message has no
 * such field.
 */
export const MESSAGE_DENSE: usize = 8;
export const MESSAGE_DENSE_COUNT: usize = 12;
/** The remaining fields as (number, address) pairs, sorted by number. */
export const MESSAGE_SPARSE: usize = 16;
export const MESSAGE_SPARSE_COUNT: usize = 20;

export const FORM_FIELDS = 0;
export const FORM_WRAPPER = 1;
export const FORM_TIMESTAMP = 2;
export const FORM_STRUCT = 3;
export const FORM_VALUE = 4;
export const FORM_LIST = 5;
/** The form of messages that the host prints. */
export const FORM_OTHER = 6;

export const FIELD_INDEX: usize = 0;
/** `,"name":` */
export const FIELD_KEY: usize = 4;
export const FIELD_KEY_LENGTH: usize = 8;
export const FIELD_SHAPE: usize = 12;
export const FIELD_KIND: usize = 16;
/** The tag of the field: its number and wire type. Fields of map entries have tags too. */
export const FIELD_TAG: usize = 20;
/** The table of a message or an enum. */
export const FIELD_ARGUMENT: usize = 24;
/** Whether the default value is omitted. */
export const FIELD_IMPLICIT: usize = 28;
/** The bit of the oneof that contains the field. */
export const FIELD_ONEOF: usize = 32;
/** The kind and the tag of the key, for a map field. */
export const FIELD_MAP_KEY: usize = 36;
export const FIELD_MAP_KEY_TAG: usize = 40;

export const SHAPE_SINGULAR = 0;
export const SHAPE_LIST = 1;
export const SHAPE_MAP = 2;

export const KIND_TEXT = 1;
export const KIND_BYTES = 2;
export const KIND_BOOL = 3;
export const KIND_INT32 = 4;
export const KIND_UINT32 = 5;
export const KIND_SINT32 = 6;
export const KIND_FIXED32 = 7;
export const KIND_SFIXED32 = 8;
export const KIND_INT64 = 9;
export const KIND_UINT64 = 10;
export const KIND_SINT64 = 11;
export const KIND_FIXED64 = 12;
export const KIND_SFIXED64 = 13;
export const KIND_DOUBLE = 14;
export const KIND_FLOAT = 15;
export const KIND_ENUM = 16;
export const KIND_MESSAGE = 17;

/** A hash table of the names of the enum values. */
export const ENUM_ROWS: usize = 0;
export const ENUM_MASK: usize = 4;
export const ENUM_ZERO: usize = 8;
/** Whether the enum is open: numbers without a name are valid. */
export const ENUM_OPEN: usize = 12;
/** Whether the enum is google.protobuf.NullValue, which is null in JSON. */
export const ENUM_NULL: usize = 16;

export const NAME_SIZE: usize = 12;
export const NAME_NUMBER: usize = 0;
/** The name, including its quotes; 0 in an empty row. */
export const NAME_TEXT: usize = 4;
export const NAME_LENGTH: usize = 8;
