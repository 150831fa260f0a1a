const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BACKSLASH = 0x5c;

/** Reports whether a character is JSON white space (RFC 8259 section 2). */
function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

/** Returns the position of the first character at or after `start` that is not white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Returns the position after the closing quote of a string; the end of the text if the string does not end.
 */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let slash = at - 1;
    while (slash >= start && text.charCodeAt(slash) === BACKSLASH) slash--;
    if ((at - 1 - slash) % 2 === 0) return at + 1;
  }
  return text.length;
}
