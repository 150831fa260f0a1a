/**
 * Makes strings from untrusted input safe for our output lines. .proto files, options and compilers may
 * contain any character, at any length.
 */

/** The maximum length of a word, such as a name, that is shown in full. */
const LONGEST_WORD = 200;
/** The maximum length of a diagnostic. */
const LONGEST_TEXT = 2_000;

/**
 * Characters that break a line, move the cursor, or change the direction of writing in some terminals or
 * editors.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Converts a string to one line of limited length: escapes invisible characters, and truncates in the middle.
 */
export function oneLine(text: string): string {
  const words = text.replaceAll(new RegExp(`\\S{${LONGEST_WORD + 1},}`, "g"), (word) =>
    shortened(word, LONGEST_WORD),
  );
  // truncate before escaping, so that no escape is split
  return shortened(words, LONGEST_TEXT).replaceAll(HIDDEN, spelled);
}

/** Keeps the beginning and the end of a string, which contain the most information. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil((length * 2) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (length - head - 1))}`.toWellFormed();
}

function spelled(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
