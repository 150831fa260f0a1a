const MAX_LENGTH = 500;

/**
 * The maximum length, in characters, of a grapheme cluster (e.g. a family emoji) that is kept whole when a
 * text is truncated.
 */
const MAX_CLUSTER = 50;

const CLUSTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

const VISIBLE = String.raw`[^\p{Cc}\p{Cf}\p{Z}\s]`;

// Matches C0 and C1 controls, format characters, line separators and byte order marks, which can forge a log
// line, or reverse or hide text. Scripts and emoji need some of these characters, each only next to
// particular characters.
const UNSAFE = new RegExp(
  [
    // joiners: emoji of several people, Persian, Indic scripts
    String.raw`(?<=${VISIBLE})[\u200c\u200d](?=${VISIBLE})`,
    // direction marks, which only reorder punctuation
    String.raw`(?<=${VISIBLE})[\u061c\u200e\u200f]`,
    // flags of subdivisions
    String.raw`(?<=\u{1f3f4})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
    // visible signs around or above digits
    String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]`,
    String.raw`(?<unsafe>[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+)`,
  ].join("|"),
  "gu",
);

/**
 * Makes a peer's text suitable for an error message: a single line of well-formed text, at most `max`
 * characters long, without control characters and without characters that reorder or hide other characters.
 * An ellipsis shows where the text was truncated.
 */
export function safeText(text: string, max: number = MAX_LENGTH): string {
  // truncates first, so that megabytes are not sanitized for one line
  const head = text.slice(0, max * 4).toWellFormed();
  const clean = head
    .replace(UNSAFE, (part: string, unsafe?: string) => (unsafe === undefined ? part : " "))
    .replace(/\s+/g, " ")
    .trim();
  if (clean.length <= max && text.length <= max * 4) return clean;
  return `${beginning(clean, max - 1)}…`;
}

/**
 * Replaces the characters of a text that control a terminal, or reorder or hide other characters, with
 * escapes such as `\\u{9b}`. Keeps line breaks and tabs.
 */
export function visibleText(text: string): string {
  return replaceUnsafe(text, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Replaces each unsafe character of a text, except line breaks and tabs. */
export function replaceUnsafe(text: string, replace: (character: string) => string): string {
  return text.toWellFormed().replace(UNSAFE, (part: string, unsafe?: string) => {
    if (unsafe === undefined) return part;
    return unsafe.replace(/\r\n|[^\n\t]/gu, (character) =>
      character === "\r\n" ? character : replace(character),
    );
  });
}

/** Returns at most `length` characters from the beginning of a text, without splitting a grapheme cluster. */
function beginning(text: string, length: number): string {
  const cluster = CLUSTERS.segment(text).containing(length);
  const isKept = cluster !== undefined && cluster.index > 0 && cluster.segment.length <= MAX_CLUSTER;
  const whole = isKept ? cluster.index : length;
  return text
    .slice(0, whole)
    .toWellFormed()
    .replace(/[\ufffd\u200c\u200d]$/, "");
}
