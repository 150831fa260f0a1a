const BACKSLASH = 92;

/** Behind the quote that ends a string of JSON; the end of the text where none does. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let slash = at - 1;
    while (slash >= start && text.charCodeAt(slash) === BACKSLASH) slash--;
    if ((at - 1 - slash) % 2 === 0) return at + 1;
  }
  return text.length;
}
