/**
 * Texts of others in lines of ours: .proto files, options and compilers may hold any character,
 * at any length.
 */

/** The longest word, e.g. a name, that is shown as a whole. */
const LONGEST_WORD = 200;
/** The longest text of a diagnostic. */
const LONGEST_TEXT = 2_000;

/** What breaks a line, moves the cursor, or turns the direction of a text, in some terminal or editor. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * A text as one line of bounded length: characters without a shape of their own are spelled,
 * what is too long is cut in its middle.
 */
export function oneLine(text: string): string {
  const words = text.replaceAll(new RegExp(`\\S{${LONGEST_WORD + 1},}`, "g"), (word) =>
    shortened(word, LONGEST_WORD),
  );
  // cut before it is spelled, so that no spelling is cut
  return shortened(words, LONGEST_TEXT).replaceAll(HIDDEN, spelled);
}

/** Beginning and end, which say most. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil((length * 2) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (length - head - 1))}`.toWellFormed();
}

function spelled(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
