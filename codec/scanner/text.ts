/**
 * Reads JSON strings as UTF-8. Each function returns the position after the closing quote, or 0 on failure.
 * `written` is the end of the output.
 */
import { BACKSLASH, bitsFrom, byte, copy32, hex4, QUOTE, special32 } from "./bytes";
import { plainOf } from "./escapes";

/** The end of the most recent output. */
export let written: usize = 0;

/**
 * Copies a string and resolves its escapes, starting after its opening quote. Fails for lone surrogates,
 * which JavaScript handles.
 */
export function text(from: usize, to: usize): usize {
  let at = from;
  let out = to;
  while (true) {
    const block = at;
    let mask = special32(block);
    copy32(out, at);
    while (mask !== 0) {
      const next = block + ctz(mask);
      out += next - at;
      const c = byte(next);
      if (c === QUOTE) {
        written = out;
        return next + 1;
      }
      if (c !== BACKSLASH) return 0;
      const plain = plainOf(byte(next + 1));
      if (plain !== 0) {
        store<u8>(out++, plain);
        at = next + 2;
      } else {
        at = unescaped(next + 1, out);
        if (at === 0) return 0;
        out = written;
      }
      mask = bitsFrom(mask, at - block);
      copy32(out, at);
    }
    if (at < block + 32) {
      out += block + 32 - at;
      at = block + 32;
    }
  }
}

/** Copies a string with its quotes the way JSON.stringify writes it: with only the necessary escapes. */
export function rawText(from: usize, to: usize): usize {
  let at = from;
  let out = to;
  store<u8>(out++, QUOTE);
  while (true) {
    while (true) {
      copy32(out, at);
      const mask = special32(at);
      if (mask !== 0) {
        const plain: usize = ctz(mask);
        at += plain;
        out += plain;
        break;
      }
      at += 32;
      out += 32;
    }
    const c = byte(at);
    if (c === QUOTE) break;
    if (c !== BACKSLASH) return 0;
    const escaped = byte(at + 1);
    if (escaped === 0x75) {
      at = reEscaped(at + 2, out);
      if (at === 0) return 0;
      out = written;
    } else {
      if (plainOf(escaped) === 0) return 0;
      if (escaped !== 0x2f) store<u8>(out++, BACKSLASH);
      store<u8>(out++, escaped);
      at += 2;
    }
  }
  store<u8>(out, QUOTE);
  written = out + 1;
  return at + 1;
}

/**
 * Writes the character that `\uXXXX` or a surrogate pair of escapes represents, starting at the first `u`.
 */
function unescaped(from: usize, to: usize): usize {
  if (byte(from) !== 0x75) return 0;
  return unescapedDigits(from + 1, to);
}

/** Like `unescaped`, but starts after the `u`. */
function unescapedDigits(from: usize, to: usize): usize {
  let at = from + 4;
  let code = hex4(from);
  if (code < 0) return 0;
  if (code >= 0xd800 && code < 0xe000) {
    if (code >= 0xdc00 || byte(at) !== BACKSLASH || byte(at + 1) !== 0x75) return 0;
    const low = hex4(at + 2);
    if (low < 0xdc00 || low > 0xdfff) return 0;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    at += 6;
  }
  written = utf8(code, to);
  return at;
}

/** Like `unescaped`, but keeps the escapes that JSON requires. */
function reEscaped(from: usize, to: usize): usize {
  const code = hex4(from);
  if (code >= 0x20 && code !== 0x22 && code !== 0x5c) return unescapedDigits(from, to);
  if (code < 0) return 0;
  const short = shortOf(code);
  store<u8>(to, BACKSLASH);
  if (short !== 0) {
    store<u8>(to + 1, short);
    written = to + 2;
  } else {
    store<u8>(to + 1, 0x75);
    store<u16>(to + 2, 0x3030);
    store<u8>(to + 4, 0x30 + (code >> 4));
    const low = code & 15;
    store<u8>(to + 5, low < 10 ? 0x30 + low : 0x57 + low);
    written = to + 6;
  }
  return from + 4;
}

/** Returns the second character of a two-character escape; 0 if the character has no such escape. */
function shortOf(code: i32): u32 {
  switch (code) {
    case 0x08:
      return 0x62;
    case 0x09:
      return 0x74;
    case 0x0a:
      return 0x6e;
    case 0x0c:
      return 0x66;
    case 0x0d:
      return 0x72;
    case 0x22:
    case 0x5c:
      return code;
    default:
      return 0;
  }
}

function utf8(code: i32, to: usize): usize {
  if (code < 0x80) {
    store<u8>(to, code);
    return to + 1;
  }
  if (code < 0x800) {
    store<u8>(to, 0xc0 | (code >> 6));
    store<u8>(to + 1, 0x80 | (code & 63));
    return to + 2;
  }
  if (code < 0x10000) {
    store<u8>(to, 0xe0 | (code >> 12));
    store<u8>(to + 1, 0x80 | ((code >> 6) & 63));
    store<u8>(to + 2, 0x80 | (code & 63));
    return to + 3;
  }
  store<u8>(to, 0xf0 | (code >> 18));
  store<u8>(to + 1, 0x80 | ((code >> 12) & 63));
  store<u8>(to + 2, 0x80 | ((code >> 6) & 63));
  store<u8>(to + 3, 0x80 | (code & 63));
  return to + 4;
}
