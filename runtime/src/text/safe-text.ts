const MAX_LENGTH = 500;

/** The longest cluster of characters, e.g. a family of emoji, that is kept whole at the cut. */
const MAX_CLUSTER = 50;

const CLUSTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

const VISIBLE = String.raw`[^\p{Cc}\p{Cf}\p{Z}\s]`;

// C0 and C1 controls, characters of format, line separators, byte order mark: what can forge a log line, turn
// text around, or hide it from a reader. Scripts and emoji need some of these,
// each next to what it belongs to.
const UNSAFE = new RegExp(
  [
    // joiners: emoji of several people, Persian, the scripts of India
    String.raw`(?<=${VISIBLE})[\u200c\u200d](?=${VISIBLE})`,
    // marks of direction, which change no order but that of punctuation
    String.raw`(?<=${VISIBLE})[\u061c\u200e\u200f]`,
    // flags of parts of countries
    String.raw`(?<=\u{1f3f4})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
    // signs that are visible, above and around digits
    String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]`,
    String.raw`(?<unsafe>[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+)`,
  ].join("|"),
  "gu",
);

/**
 * Makes text of a peer fit for an error message: on one line, without control characters and without
 * characters that reorder or hide others, well formed, and at most `max` characters
 * long (an ellipsis shows the cut).
 */
export function safeText(text: string, max: number = MAX_LENGTH): string {
  // cut first, so that megabytes are not cleaned for a line
  const head = text.slice(0, max * 4).toWellFormed();
  const clean = head
    .replace(UNSAFE, (part: string, unsafe?: string) => (unsafe === undefined ? part : " "))
    .replace(/\s+/g, " ")
    .trim();
  if (clean.length <= max && text.length <= max * 4) return clean;
  return `${beginning(clean, max - 1)}…`;
}

/** At most so many characters, without a part of what a reader takes for one. */
function beginning(text: string, length: number): string {
  const cluster = CLUSTERS.segment(text).containing(length);
  const isKept = cluster !== undefined && cluster.index > 0 && cluster.segment.length <= MAX_CLUSTER;
  const whole = isKept ? cluster.index : length;
  return text
    .slice(0, whole)
    .toWellFormed()
    .replace(/[\ufffd\u200c\u200d]$/, "");
}
