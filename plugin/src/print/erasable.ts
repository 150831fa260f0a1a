/** Marks text of a generated file that TypeScript contains but JavaScript does not. */

// control characters, which occur in no other text: strings are printed with escapes, and comments without
// control characters
const START = "\u0002";
const STOP = "\u0003";

/** Marks text that exists only in TypeScript. */
export function onlyTypeScript(text: string): string {
  return `${START}${text}${STOP}`;
}

/** Returns a marked type annotation for a variable, a parameter or a result: `: RestRequest`. */
export function typed(type: string): string {
  return onlyTypeScript(`: ${type}`);
}

/** Removes the marks from a text, so that the text can be marked as a whole. */
export function unmarked(text: string): string {
  return text.replaceAll(START, "").replaceAll(STOP, "");
}

/** Returns a marked text as TypeScript. */
export function asTypeScript(text: string): string {
  return unmarked(text);
}

/** Returns a marked text as JavaScript. */
export function asJavaScript(text: string): string {
  return text
    .split(START)
    .map((piece, index) => (index === 0 ? piece : piece.slice(piece.indexOf(STOP) + 1)))
    .join("");
}
