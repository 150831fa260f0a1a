/**
 * The layout of the tables that drive the scanner. The host writes the tables (codec/src/scan/tables.ts) as
 * structures of 32-bit words in linear memory. Offsets are in bytes.
 */

/** The structure of a message. */
export const MESSAGE_ROWS: usize = 0;
export const MESSAGE_MASK: usize = 4;
/**
 * The number of ranks in a frame of the message: one for each field, oneof and key that is only inspected.
 */
export const MESSAGE_RANKS: usize = 8;
/** The treatment of unknown keys. */
export const MESSAGE_COLLECTOR: usize = 12;
export const MESSAGE_COLLECTOR_TAG: usize = 16;
export const MESSAGE_CHOICES: usize = 20;
export const MESSAGE_CHOICE_COUNT: usize = 24;
/** Whether other messages share the object of the message, so that the scanner must remember its keys. */
export const MESSAGE_SHARED: usize = 28;
/** Lists of ranks, each preceded by its length. At most one rank of a list may occur. */
export const MESSAGE_ONEOFS: usize = 32;
export const MESSAGE_ONEOF_COUNT: usize = 36;
/** The report step of an envelope, whose rank is stored as the argument of a field; 0 for a message. */
export const MESSAGE_PLACE: usize = 40;
/** The size in bytes of the length prefix of the last message of this type. The scanner writes this word. */
export const MESSAGE_GUESS: usize = 44;

/**
 * Offsets in the table of a path, after its rows and mask: the treatment of unknown keys, and the report
 * step.
 */
export const PATH_COLLECTOR: usize = 8;
export const PATH_PLACE: usize = 12;

export const COLLECTOR_NONE = 0;
export const COLLECTOR_RAW = 1;
export const COLLECTOR_IGNORE = 2;
/** Unknown keys in the object of a path are left to the JavaScript decoder. */
export const COLLECTOR_LEFT = 3;
/** The message collects unknown keys in a google.protobuf.Struct. */
export const COLLECTOR_STRUCT = 4;

/** A row in the hash table of a message: a key as a word, the fields that read the key, and flags. */
export const ROW_SIZE: usize = 32;
export const ROW_SHIFT: usize = 5;
/** A target and the address of its field, if this field is the only user of the key; otherwise 0. */
export const ROW_TARGET: usize = 12;
export const ROW_FIELD: usize = 16;
export const ROW_TARGETS: usize = 20;
export const ROW_TARGET_COUNT: usize = 24;
export const ROW_FLAGS: usize = 28;
/** A message that shares the object may have a field for the key. */
export const ROW_SHARED: u32 = 1;
/** The message itself has a field for the key. */
export const ROW_OWN: u32 = 2;
/** The key selects a member of a oneof. */
export const ROW_CHOICE: u32 = 4;

/**
 * A field that reads a key: the rank and the index of the key among the keys of the field, then the address
 * of the field.
 */
export const TARGET_SIZE: usize = 8;
export const TARGET_FIELD: usize = 4;

export const FIELD_KIND: usize = 0;
/** The bytes of the tag, and their count. */
export const FIELD_TAG_LENGTH: usize = 4;
export const FIELD_TAG: usize = 8;
export const FIELD_ARGUMENT: usize = 16;
export const FIELD_FLAGS: usize = 20;
/** The field also accepts JSON types other than the expected one. */
export const FIELD_LOOSE: u32 = 1;
/** The list may be a single comma-separated string. */
export const FIELD_COMMAS: u32 = 2;
/** null is a value of the field, not the absence of a value. */
export const FIELD_OR_NULL: u32 = 4;
/** The host can read the field with the JavaScript decoder. */
export const FIELD_HANDED: u32 = 8;
export const FIELD_TEXT: usize = 24;
export const FIELD_TEXT_LENGTH: usize = 28;

/** How the scanner reads a field. */
export const KIND_HANDOVER = 0;
export const KIND_STRING = 1;
/** The argument of a string that is written as bytes. */
export const TEXT_BYTES: u32 = 1;
export const KIND_BOOL = 2;
export const KIND_INT32 = 3;
export const KIND_UINT32 = 4;
export const KIND_SINT32 = 5;
export const KIND_FIXED32 = 6;
export const KIND_SFIXED32 = 7;
export const KIND_INT64 = 8;
export const KIND_UINT64 = 9;
export const KIND_SINT64 = 10;
export const KIND_FIXED64 = 11;
export const KIND_SFIXED64 = 12;
export const KIND_DOUBLE = 13;
export const KIND_FLOAT = 14;
export const KIND_ENUM = 15;
/**
 * A number of time units since 1970. The argument is the number of decimal digits between the unit and the
 * second.
 */
export const KIND_COUNT = 16;
/** A time or duration in a notation. The argument is one of these, or the address of a format. */
export const KIND_NOTATION = 17;
export const ISO_TIME: u32 = 0;
export const DURATION: u32 = 1;
export const ISO_DURATION: u32 = 2;
export const KIND_MESSAGE = 18;
export const KIND_LIST = 19;
export const KIND_MAP = 20;
/** A message whose JSON is the value of its only field. Reading its content never causes an error. */
export const KIND_WRAPPER = 21;
/** A message whose JSON is the value of its only field. */
export const KIND_UNWRAP = 22;
/** A message with a field for each JSON type. */
export const KIND_BY_TYPE = 23;
export const KIND_VALUE = 24;
export const KIND_STRUCT = 25;
export const KIND_LIST_VALUE = 26;
/** A key that is inspected after the end of the object. */
export const KIND_SLOT = 27;
/** The payload inside an envelope; then the envelope, and the status inside it. */
export const KIND_PAYLOAD = 28;
export const KIND_ENVELOPE = 29;
export const KIND_STATUS = 30;
/** The list of items that a page contains in place of a message. */
export const KIND_PAGE = 31;
/** base64. */
export const KIND_BYTES = 32;
/**
 * An object that contains keys of fields of the outer message. Its argument begins with rows and a mask, like
 * a message.
 */
export const KIND_PATH = 33;
/** Errors next to a payload. The scanner accepts only an empty value. */
export const KIND_ERRORS = 34;

/** A oneof whose members are selected by the content of the object. */
export const CHOICE_SIZE: usize = 40;
export const CHOICE_RANK: usize = 0;
/** The slots of the keys that only conditions test. Their values must select the member, or be absent. */
export const CHOICE_SOLE: usize = 4;
export const CHOICE_SOLE_COUNT: usize = 8;
export const CHOICE_CASES: usize = 12;
export const CHOICE_CASE_COUNT: usize = 16;
/** The member that is selected if no case applies; negative if none is. */
export const CHOICE_OTHERWISE: usize = 20;
export const CHOICE_MEMBERS: usize = 24;
/** The slots of all members. Only the selected member may have a value. */
export const CHOICE_SLOTS: usize = 28;
export const CHOICE_SLOT_COUNT: usize = 32;
/** Whether numbers and booleans can also select a member. */
export const CHOICE_WORDS: usize = 36;

export const CASE_SIZE: usize = 24;
export const CASE_MEMBER: usize = 0;
export const CASE_SLOT: usize = 4;
export const CASE_TEST: usize = 8;
export const CASE_TEXT: usize = 12;
export const CASE_LENGTH: usize = 16;

export const TEST_WORD = 0;
export const TEST_PRESENT = 1;
export const TEST_ABSENT = 2;
export const TEST_ARRAY = 3;
export const TEST_OBJECT = 4;
export const TEST_STRING = 5;
export const TEST_NUMBER = 6;
export const TEST_BOOLEAN = 7;

/**
 * A oneof member: its field, and the slot that the field is read from. The slot is negative if the member
 * shares the object.
 */
export const MEMBER_SIZE: usize = 8;
export const MEMBER_FIELD: usize = 0;
export const MEMBER_SLOT: usize = 4;

/** The common head of the rows of all hash tables: a word. */
export const WORD_HASH: usize = 0;
export const WORD_TEXT: usize = 4;
export const WORD_LENGTH: usize = 8;

/** The hash table of the words of an enum. */
export const ENUM_MASK: usize = 0;
export const ENUM_ROWS: usize = 4;
export const WORD_SIZE: usize = 20;
export const WORD_NUMBER: usize = 12;
/** Flags: whether the word may be a string, and whether it may be a number. */
export const WORD_FLAGS: usize = 16;
export const WORD_AS_STRING: u32 = 1;
export const WORD_AS_NUMBER: u32 = 2;
