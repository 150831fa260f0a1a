import { percentEncode } from "./percent-encode.ts";
import { literalView, type PlainView, plainView, type Range, skeleton } from "./plain-view.ts";
import type { Secret } from "./secret.ts";
import { isLong, mayHoldPart, SecretParts } from "./secret-parts.ts";

/**
 * A secret with fewer characters than this is searched only as a whole word. The same characters within a
 * longer word reveal nothing.
 */
const SHORT = 8;

/**
 * The minimum length of the beginning of a secret before an ellipsis. A shorter beginning reveals nothing.
 */
const MIN_BEGINNING = 4;

/**
 * The minimum length of a plain view. A secret whose plain view is shorter, because it consists mostly of
 * blanks, is searched only literally, since its plain view could match anything.
 */
const MIN_PLAIN = 6;

/** The minimum length of the plain view of a short secret. */
const MIN_WORD = 4;

/**
 * The maximum number of ellipses that are checked. The runtime's own texts have one for each truncated part.
 */
const MAX_ELLIPSES = 32;

/**
 * The maximum number of characters of a secret in a pattern, because patterns have a maximum size. The rest of
 * a longer secret is found by its parts.
 */
const MAX_LITERAL = 4096;

/** Matches an escape at the end of a text. Its last character belongs to no word. */
const ESCAPE_END = String.raw`(?:%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[bfnrt])`;
const ENDS_IN_ESCAPE = new RegExp(`${ESCAPE_END}$`);

/** The strings that are searched for one secret. */
interface Needles {
  /** The pattern that is searched in the original text. */
  readonly literal: RegExp | undefined;
  /** The strings that are searched in the plain view of the text. */
  readonly plain: readonly string[];
  /** The parts that are searched separately. Undefined for a short secret. */
  readonly parts: SecretParts | undefined;
  /** The parts that are searched with separators anywhere between their characters. */
  readonly separated: SecretParts | undefined;
  /** Whether the strings are searched only as whole words. */
  readonly areWords: boolean;
}

/** The common properties of all short secrets. */
const NONE = { parts: undefined, separated: undefined, areWords: true } as const;

const known = new WeakMap<Secret, Needles>();

/**
 * Returns the ranges of secrets in a text, in order and without overlaps. Finds secrets: literally, ignoring
 * case; percent-encoded, or escaped as in JSON, JavaScript or HTML, wholly or in part, once or repeatedly; in
 * base64 and base64url, at any offset; in hexadecimal; and their beginnings before the ellipsis of a
 * truncated text. If a secret has 16 characters or more, any 12 consecutive characters of it are found. If 8
 * of these are ASCII letters or digits, these 8 are found even with separators between them or in place of
 * the other characters. A secret with fewer than 8 characters is found only as a whole word: literally, in
 * lower case, percent-encoded, and as in JSON.
 */
export function findSecrets(text: string, secrets: readonly Secret[]): Range[] {
  const all = secrets.filter((secret) => mayHold(text, secret)).map(needlesOf);
  const found = all.flatMap(({ literal }) => (literal === undefined ? [] : matches(text, literal)));
  if (all.some(({ plain }) => plain.length > 0)) {
    const view = plainView(text);
    const cuts = cutsIn(text);
    found.push(...partsIn(text, view, all), ...all.flatMap((needles) => wholeIn(text, view, cuts, needles)));
  }
  return merged(found);
}

/** Returns the ranges of parts of long secrets, unchanged or with separators. */
function partsIn(text: string, view: PlainView, all: readonly Needles[]): Range[] {
  const parts = all.flatMap((each) => each.parts ?? []);
  if (parts.length === 0) return [];
  const separated = all.flatMap((each) => each.separated ?? []);
  return [
    ...SecretParts.rangesIn(text, view, parts),
    ...SecretParts.rangesIn(text, skeleton(view), separated),
  ];
}

/** Returns the ranges of a whole secret, or of its beginning before an ellipsis. */
function wholeIn(text: string, view: PlainView, cuts: readonly Cut[], { plain, areWords }: Needles): Range[] {
  return plain.flatMap((needle) => {
    const whole = occurrences(view, needle);
    return areWords
      ? whole.filter((range) => isWord(text, range))
      : [...whole, ...beginnings(view, cuts, needle)];
  });
}

/**
 * Reports whether a search is necessary. For most headers and error texts, this quick check rules out a
 * search.
 */
function mayHold(text: string, secret: Secret): boolean {
  const value = secret.reveal();
  // no encoding of a secret is shorter than half of the secret
  if (text.length * 2 >= value.length || text.includes("…")) return true;
  return mayHoldPart(text, value);
}

function needlesOf(secret: Secret): Needles {
  const before = known.get(secret);
  if (before !== undefined) return before;
  const made = makeNeedles(secret.reveal().toWellFormed());
  known.set(secret, made);
  return made;
}

function makeNeedles(text: string): Needles {
  if (text === "") return { ...NONE, literal: undefined, plain: [] };
  // in lower case too, because a secret that is sent back as a header name arrives in lower case
  const ways = [text, text.toLowerCase(), percentEncode(text), JSON.stringify(text).slice(1, -1)];
  const spellings = [...new Set(ways)].map(escaped).join("|");
  if (text.length < SHORT) {
    // escapes of letters and digits are rare enough to ignore
    const plain = /^[\p{L}\p{N}]*$/u.test(text) ? [] : [plainView(text).plain, literalView(text).plain];
    const start = `(?:(?<![\\p{L}\\p{N}])|(?<=${ESCAPE_END}))`;
    const pattern = new RegExp(`${start}(?:${spellings})(?![\\p{L}\\p{N}])`, "gu");
    const long = plain.filter(({ length }) => length >= MIN_WORD);
    return { ...NONE, literal: pattern, plain: long };
  }
  const bytes = Buffer.from(text);
  const inJson = JSON.stringify(text).slice(1, -1);
  // a part of a secret may look like an escape; whether it is one depends on how the secret was encoded
  const views = [text, encodeURIComponent(text), inJson].map(plainView);
  const literal = [text, ...base64Cores(bytes), bytes.toString("hex")].map(literalView);
  const distinct = new Set([...views, ...literal].map((view) => view.plain));
  const plain = [...distinct].filter(({ length }) => length >= MIN_PLAIN);
  const parts = isLong(text) ? SecretParts.of(text, plain) : undefined;
  const separated = isLong(text) ? SecretParts.ofSkeletons(text, plain) : undefined;
  const anyCase = new Set(ways.slice(1).map((way) => escaped(way.slice(0, MAX_LITERAL))));
  return { literal: new RegExp([...anyCase].join("|"), "gi"), plain, parts, separated, areWords: false };
}

/**
 * Returns the base64 forms of bytes at any offset. Base64 encodes three bytes at a time, so there are three
 * forms. Each form omits the characters at its ends that share bits with other bytes.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return padded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function matches(text: string, pattern: RegExp): Range[] {
  return Array.from(text.matchAll(pattern), ({ 0: whole, index }) => [index, index + whole.length] as const);
}

function occurrences({ plain, starts, ends }: PlainView, needle: string): Range[] {
  const found: Range[] = [];
  for (let at = plain.indexOf(needle); at >= 0; at = plain.indexOf(needle, at + needle.length)) {
    found.push([starts[at] ?? 0, ends[at + needle.length - 1] ?? 0]);
  }
  return found;
}

function isWord(text: string, [from, to]: Range): boolean {
  const before = text.slice(Math.max(0, from - 6), from);
  const isStart = !/[\p{L}\p{N}]$/u.test(before) || ENDS_IN_ESCAPE.test(before);
  return isStart && !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2));
}

/**
 * Matches a truncated escape before an ellipsis. The text before the escape may end with the beginning of a
 * secret.
 */
const CUT_ESCAPE = /(?:%[0-9a-f%]{0,6}|\\{1,4}(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&[a-z0-9#;]{0,16})$/i;

/** The maximum length of a truncated escape. */
const MAX_ESCAPE = 17;

/**
 * The position at which a text was truncated: an ellipsis, and the start of the truncated escape before it.
 */
interface Cut {
  readonly ellipsis: number;
  readonly from: number;
}

function cutsIn(text: string): Cut[] {
  const cuts: Cut[] = [];
  let ellipsis = text.indexOf("…");
  while (ellipsis >= 0 && cuts.length < MAX_ELLIPSES) {
    const half = CUT_ESCAPE.exec(text.slice(Math.max(0, ellipsis - MAX_ESCAPE), ellipsis))?.[0] ?? "";
    cuts.push({ ellipsis, from: ellipsis - half.length });
    ellipsis = text.indexOf("…", ellipsis + 1);
  }
  return cuts;
}

/** Returns the ranges of truncated needles, which end where the text was truncated. */
function beginnings(view: PlainView, cuts: readonly Cut[], needle: string): Range[] {
  return cuts.flatMap((cut) => {
    const { ellipsis } = cut;
    const half = cut.from === ellipsis ? undefined : cut.from;
    const from =
      beginningAt(view, needle, ellipsis) ??
      (half === undefined ? undefined : beginningAt(view, needle, half));
    return from === undefined ? [] : [[from, ellipsis] as const];
  });
}

/** Returns the start of a truncated needle that ends at position `to` of the text. */
function beginningAt({ plain, starts }: PlainView, needle: string, to: number): number | undefined {
  const end = indexAt(starts, to);
  const last = plain[end - 1];
  for (let length = Math.min(needle.length, end); length >= MIN_BEGINNING; length--) {
    if (needle[length - 1] !== last) continue;
    if (plain.startsWith(needle.slice(0, length), end - length)) return starts[end - length];
  }
  return undefined;
}

/** Returns the index of the first entry of a sorted list that is at least `value`. */
function indexAt(list: ArrayLike<number>, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function merged(ranges: readonly Range[]): Range[] {
  const apart: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1);
    if (last !== undefined && from < last[1]) {
      last[1] = Math.max(last[1], to);
    } else {
      apart.push([from, to]);
    }
  }
  return apart;
}
