/** JSON characters and literals as little-endian integers, ready to be stored. */

export const QUOTE: u32 = 0x22;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;
export const OPEN_BRACKET: u32 = 0x5b;
export const CLOSE_BRACKET: u32 = 0x5d;
export const NULL: u32 = 0x6c6c756e;
export const TRUE: u32 = 0x65757274;
export const ALSE: u32 = 0x65736c61;
