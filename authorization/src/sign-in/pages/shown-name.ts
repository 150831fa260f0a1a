/**
 * Characters that are not shown, or change how others are: controls, format characters (directions, joiners,
 * tags, soft hyphens), fillers, separators of lines, surrogates, and what is unassigned or private.
 */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

/** More marks on one character than any language needs, which would cover the lines around. */
const MARKS = /(\p{M}{2})\p{M}+/gu;

/** The longest name that is shown, in characters. */
const MAX_LENGTH = 60;

/**
 * A name that somebody has given themselves, fit to be shown: one short line of visible text.
 * Empty where nothing is left.
 */
export function shownName(name: string): string {
  const line = name
    .slice(0, 20 * MAX_LENGTH)
    .toWellFormed()
    .normalize("NFC")
    .replace(/\s+/gu, " ")
    .replace(HIDDEN, "")
    // what stood between two characters kept them from being one
    .normalize("NFC")
    .replace(MARKS, "$1")
    .replace(/ +/g, " ")
    .trim();
  const characters = [...line];
  return characters.length <= MAX_LENGTH ? line : `${characters.slice(0, MAX_LENGTH).join("")}…`;
}
