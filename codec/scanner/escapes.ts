/** Two-character escapes. */

/** The character that each escape represents, starting with `\"`; 0 for characters that are not escapes. */
const PLAIN = memory.data<u8>([
  0, 0, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x5c, 0, 0, 0, 0, 0, 0x8, 0,
  0, 0, 0xc, 0, 0, 0, 0, 0, 0, 0, 0xa, 0, 0, 0, 0xd, 0, 0x9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Returns the character that a backslash followed by `c` represents; 0 if the escape is invalid. */
export function plainOf(c: u32): u32 {
  const index = c - 0x20;
  return index < 0x60 ? load<u8>(PLAIN + index) : 0;
}
