/** Checks the format of a time: the letters must identify a point in time. */

/** The parts of a format, from large to small. A part requires all parts before it. */
const PARTS = ["YYYY", "MM", "DD", "HH", "mm", "ss"] as const;
type Part = (typeof PARTS)[number];

const EXPECTED = 'write e.g. "YYYY-MM-DD HH:mm:ss"';

/** Letters of other format languages, and the parts that users of these languages probably mean. */
const MEANT: Readonly<Record<string, Part>> = { y: "YYYY", u: "YYYY", M: "MM", d: "DD", h: "HH", s: "ss" };

/** Parts of other format languages for which no part exists here. */
const UNREADABLE: ReadonlyArray<readonly [part: RegExp, meaning: string]> = [
  [/^(?:SSS*|f+)$/, "a fraction of a second"],
  [/^(?:M{3,}|E+|d{3,}|D{3,})$/, "the name of a month or a day, or the day of a year"],
  [/^(?:[xXz]+|ZZ+|[aA])$/, "a time zone, or a half of the day"],
];

/** The letters that format languages use for parts. A word with any other letter is literal. */
const TOKEN_LETTERS = "yYuMLdDeEhHkKmsSfFxXaAzZwWqQTn";
const WORDS: ReadonlySet<string> = new Set(["T", "Z", "um", "de"]);

/** The parts of moment.js for ordinal numbers, e.g. `Do` for "1st". */
const ORDINAL = /^(?:[MQdwW]|D{1,4})o[TZ]?$/;

/** Returns the fault of a format, which continues `the format of x`; undefined for a valid format. */
export function timeFormatFault(format: string): string | undefined {
  const found: Part[] = [];
  for (const [word] of format.matchAll(/\p{L}+/gu)) {
    if (isLiteral(word)) continue;
    for (const [run] of word.matchAll(/(\p{L})\1*/gu)) {
      const part = PARTS.find((each) => each === run);
      if (part === undefined && WORDS.has(run)) continue;
      if (part === undefined) return unknownFault(run, format);
      if (found.includes(part)) return twiceFault(part, found);
      found.push(part);
    }
  }
  return gapFault(found);
}

function isLiteral(word: string): boolean {
  if (WORDS.has(word)) return true;
  if (ORDINAL.test(word)) return false;
  const hasOther = [...word].some((letter) => !TOKEN_LETTERS.includes(letter));
  return hasOther && !PARTS.some((part) => word.includes(part));
}

function unknownFault(run: string, format: string): string {
  const meant = MEANT[run.charAt(0)] ?? MEANT[run.charAt(0).toLowerCase()];
  const isLonger = meant === undefined || run.length > meant.length;
  const hint = isLonger || format.includes(meant) ? undefined : `did you mean \`${meant}\`?`;
  const meaning = UNREADABLE.find(([part]) => part.test(run))?.[1];
  if (meaning !== undefined) {
    return `has \`${run}\`, ${meaning}, which no part stands for; ${hint ?? "use unit: ISO_8601 or declare a string field;"} ${EXPECTED}`;
  }
  return `has \`${run}\`, which is no part; ${hint ?? "it would be literal text;"} ${EXPECTED}`;
}

/** Returns the fault of a part that occurs twice. A month and a minute differ only in case. */
function twiceFault(part: Part, found: readonly Part[]): string {
  const other = part === "mm" ? "MM" : "mm";
  const isSwapped = (part === "mm" || part === "MM") && !found.includes(other);
  const hint = isSwapped
    ? `did you mean \`${other}\` in one place?`
    : "the second one would be literal text;";
  return `has \`${part}\` twice; ${hint} ${EXPECTED}`;
}

/** Returns the fault of a format that omits the year, or a part before the smallest one, e.g. `YYYY-DD`. */
function gapFault(found: readonly Part[]): string | undefined {
  if (!found.includes("YYYY")) return `has no year; ${EXPECTED}`;
  const last = PARTS.findLastIndex((part) => found.includes(part));
  const missing = PARTS.slice(0, last).find((part) => !found.includes(part));
  if (missing === undefined) return undefined;
  const isSwapped = missing === "MM" && found.includes("mm");
  const [part, hint] = isSwapped
    ? ["mm", " which is the minute; did you mean `MM`?"]
    : [PARTS[last], ` so that it names no point in time;`];
  return `has \`${part}\` without \`${missing}\`,${hint} ${EXPECTED}`;
}
