/**
 * Characters that are invisible or change how other characters are displayed: controls, format characters
 * (directions, joiners, tags, soft hyphens), fillers, line separators, surrogates, and unassigned or private
 * characters.
 */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

/**
 * More combining marks on one character than any language needs. So many marks would cover adjacent lines.
 */
const MARKS = /(\p{M}{2})\p{M}+/gu;

/** The maximum length of a name that is shown, in characters. */
const MAX_LENGTH = 60;

/**
 * Converts a self-chosen name to one short line of visible characters. Returns an empty string if no
 * characters remain.
 */
export function shownName(name: string): string {
  const line = name
    .slice(0, 20 * MAX_LENGTH)
    .toWellFormed()
    .normalize("NFC")
    .replace(/\s+/gu, " ")
    .replace(HIDDEN, "")
    // combine characters that were separated by removed characters
    .normalize("NFC")
    .replace(MARKS, "$1")
    .replace(/ +/g, " ")
    .trim();
  const characters = [...line];
  return characters.length <= MAX_LENGTH ? line : `${characters.slice(0, MAX_LENGTH).join("")}…`;
}
