/**
 * Returns a peer's string for use in an error message: printable ASCII in quotes, truncated after `max`
 * characters.
 */
export function show(text: string, max = 60): string {
  const cut = text.length > max ? `${text.slice(0, max)}...` : text;
  return `"${cut.replace(/[^\x20-\x7e]|["\\]/g, escapeCharacter)}"`;
}

/** The maximum length of an error message from other code or from a peer, in characters. */
const MAX_TEXT = 500;

/** Truncates an error message from other code. Such a message may repeat megabytes of input. */
export function brief(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
