/** Escapes of two characters. */

/** The character of each, from `\"` on; 0 for what is no escape. */
const PLAIN = memory.data<u8>([
  0, 0, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x5c, 0, 0, 0, 0, 0, 0x8, 0,
  0, 0, 0xc, 0, 0, 0, 0, 0, 0, 0, 0xa, 0, 0, 0, 0xd, 0, 0x9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** The character that a backslash and this one stand for; 0 for none. */
export function plainOf(c: u32): u32 {
  const index = c - 0x20;
  return index < 0x60 ? load<u8>(PLAIN + index) : 0;
}
