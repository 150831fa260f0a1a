/**
 * The tables that drive the scanner, as the host writes them (codec/src/scan/tables.ts): structures of 32-bit
 * words in linear memory. Offsets are in bytes.
 */

/** How a message is read. */
export const MESSAGE_ROWS: usize = 0;
export const MESSAGE_MASK: usize = 4;
/** How many spans its frame has: one for each field, oneof and key that is only looked at. */
export const MESSAGE_RANKS: usize = 8;
/** What becomes of keys that it does not know. */
export const MESSAGE_COLLECTOR: usize = 12;
export const MESSAGE_COLLECTOR_TAG: usize = 16;
export const MESSAGE_CHOICES: usize = 20;
export const MESSAGE_CHOICE_COUNT: usize = 24;
/** Whether others share its object, so that its keys must be remembered. */
export const MESSAGE_SHARED: usize = 28;
/** Lists of ranks of which one may be there: each with its length in front. */
export const MESSAGE_ONEOFS: usize = 32;
export const MESSAGE_ONEOF_COUNT: usize = 36;
/** What an envelope is reported by, a field with its rank as argument; 0 for a message. */
export const MESSAGE_PLACE: usize = 40;
/** How many bytes the length of the last such message took; the scanner's own. */
export const MESSAGE_GUESS: usize = 44;

/** Behind the rows and the mask of a path: what becomes of other keys, and what it is reported by. */
export const PATH_COLLECTOR: usize = 8;
export const PATH_PLACE: usize = 12;

export const COLLECTOR_NONE = 0;
export const COLLECTOR_RAW = 1;
export const COLLECTOR_IGNORE = 2;
/** As only the decoder can. */
export const COLLECTOR_LEFT = 3;

/** A key in the hash table of a message: a word, the fields that are read from it, and flags. */
export const ROW_SIZE: usize = 32;
export const ROW_SHIFT: usize = 5;
/**
 * The one field, if there is one, and nothing else is asked of the key: a target,
 * and the address of the field; 0 otherwise.
 */
export const ROW_TARGET: usize = 12;
export const ROW_FIELD: usize = 16;
export const ROW_TARGETS: usize = 20;
export const ROW_TARGET_COUNT: usize = 24;
export const ROW_FLAGS: usize = 28;
/** A message that shares the object may know the key. */
export const ROW_SHARED: u32 = 1;
/** The message itself knows the key. */
export const ROW_OWN: u32 = 2;
/** A oneof is chosen by the key. */
export const ROW_CHOICE: u32 = 4;

/**
 * A rank, the place of the key among those of the field, and whether it is the last one;
 * behind it the field's address.
 */
export const TARGET_SIZE: usize = 8;
export const TARGET_FIELD: usize = 4;
export const TARGET_LAST: u32 = 0x80000000;

export const FIELD_KIND: usize = 0;
/** The bytes of the tag, and how many there are. */
export const FIELD_TAG_LENGTH: usize = 4;
export const FIELD_TAG: usize = 8;
export const FIELD_ARGUMENT: usize = 16;
export const FIELD_FLAGS: usize = 20;
/** Other types of JSON are known to come. */
export const FIELD_LOOSE: u32 = 1;
/** A list that may be one text, its items between commas. */
export const FIELD_COMMAS: u32 = 2;
export const FIELD_TEXT: usize = 24;
export const FIELD_TEXT_LENGTH: usize = 28;

/** How a field is read. */
export const KIND_HANDOVER = 0;
export const KIND_STRING = 1;
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
/** A count since 1970; the argument is how many digits its unit has below the second. */
export const KIND_COUNT = 16;
export const KIND_ISO = 17;
export const KIND_MESSAGE = 18;
export const KIND_LIST = 19;
export const KIND_MAP = 20;
/** A message with one field, which JSON has bare; nothing in it is an error. */
export const KIND_WRAPPER = 21;
/** A message with one field, which JSON has bare. */
export const KIND_UNWRAP = 22;
/** A message with a field for each type of JSON. */
export const KIND_BY_TYPE = 23;
export const KIND_VALUE = 24;
export const KIND_STRUCT = 25;
export const KIND_LIST_VALUE = 26;
/** Looked at once the object has ended. */
export const KIND_SLOT = 27;
/** The object that an envelope holds, and its parts. */
export const KIND_PAYLOAD = 28;
export const KIND_ENVELOPE = 29;
export const KIND_STATUS = 30;
/** The list of a page in place of a message. */
export const KIND_PAGE = 31;
/** base64. */
export const KIND_BYTES = 32;
/**
 * An object below whose keys fields of the message around it are; its argument begins with their rows and
 * mask, as a message does.
 */
export const KIND_PATH = 33;

/** A oneof whose members are chosen by what the object has. */
export const CHOICE_SIZE: usize = 40;
export const CHOICE_RANK: usize = 0;
/** The slot whose word chooses; negative where cases have conditions of their own. */
export const CHOICE_SLOT: usize = 4;
export const CHOICE_CASES: usize = 8;
export const CHOICE_CASE_COUNT: usize = 12;
/** The member where nothing is chosen; negative for none. */
export const CHOICE_OTHERWISE: usize = 16;
/** Whether the value that chooses nothing is lost. */
export const CHOICE_REPORT: usize = 20;
export const CHOICE_MEMBERS: usize = 24;
/** The slots of members, of which only the chosen one may hold something. */
export const CHOICE_SLOTS: usize = 28;
export const CHOICE_SLOT_COUNT: usize = 32;
/** Whether numbers and booleans choose, too. */
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

/** A member of a oneof: its field, and the slot that it is read from; negative where it shares the object. */
export const MEMBER_SIZE: usize = 8;
export const MEMBER_FIELD: usize = 0;
export const MEMBER_SLOT: usize = 4;

/** The row of a word in any hash table. */
export const WORD_HASH: usize = 0;
export const WORD_TEXT: usize = 4;
export const WORD_LENGTH: usize = 8;

/** The words of an enum: a hash table. */
export const ENUM_MASK: usize = 0;
export const ENUM_ROWS: usize = 4;
export const WORD_SIZE: usize = 20;
export const WORD_NUMBER: usize = 12;
/** Whether a string, and whether a number may be spelled so. */
export const WORD_FLAGS: usize = 16;
export const WORD_AS_STRING: u32 = 1;
export const WORD_AS_NUMBER: u32 = 2;
