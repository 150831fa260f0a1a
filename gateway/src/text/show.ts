/** A peer's text for an error message: printable ASCII in quotes, cut after `max` characters. */
export function show(text: string, max = 60): string {
  const cut = text.length > max ? `${text.slice(0, max)}...` : text;
  return `"${cut.replace(/[^\x20-\x7e]|["\\]/g, escapeCharacter)}"`;
}

/** How long the text of an error may be that others have written. */
const MAX_TEXT = 500;

/** The text of another's error, cut where it is long: it may repeat megabytes of input. */
export function brief(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
