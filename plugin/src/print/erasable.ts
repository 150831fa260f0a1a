/** Text of a generated file that TypeScript has and JavaScript has not, marked while the file is printed. */

// control characters, which are in no other text: strings are printed with escapes, comments without them
const START = "\u0002";
const STOP = "\u0003";

/** Text that stands in TypeScript alone. */
export function onlyTypeScript(text: string): string {
  return `${START}${text}${STOP}`;
}

/** The type of a variable, a parameter or a result: `: RestRequest`. */
export function typed(type: string): string {
  return onlyTypeScript(`: ${type}`);
}

/** Text without marks, so that it can be marked itself. */
export function unmarked(text: string): string {
  return text.replaceAll(START, "").replaceAll(STOP, "");
}

/** A marked text as TypeScript. */
export function asTypeScript(text: string): string {
  return unmarked(text);
}

/** A marked text as JavaScript. */
export function asJavaScript(text: string): string {
  return text
    .split(START)
    .map((piece, index) => (index === 0 ? piece : piece.slice(piece.indexOf(STOP) + 1)))
    .join("");
}
