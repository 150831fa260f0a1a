const MAX_LENGTH = 500;

// C0 and C1 controls, zero-width and directional marks, line separators, byte order mark: what can forge a log line
// or hide text from a reader.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/**
 * Makes text of a peer fit for an error message: on one line, without control or formatting characters, well
 * formed, and at most `max` characters long (an ellipsis shows the cut).
 */
export function safeText(text: string, max: number = MAX_LENGTH): string {
  // cut first, so that megabytes are not cleaned for a line
  const head = text.slice(0, max * 4).toWellFormed();
  const clean = head.replace(UNSAFE, " ").replace(/\s+/g, " ").trim();
  if (clean.length <= max && text.length <= max * 4) return clean;
  return `${clean
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\ufffd$/, "")}…`;
}
