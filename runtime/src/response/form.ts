import type { JsonValue, Work } from "connect-rest-codec/internal";

/** The number of characters that are read at a time. A piece is extended to the end of a pair. */
const PIECE = 64 * 1024;

/** A parsed form. */
export interface Form {
  /**
   * An object whose values are strings, or arrays of strings for repeated names. A string that is not a form
   * is returned unchanged, and an empty string as undefined.
   */
  readonly value: JsonValue | undefined;
  /** Whether escapes contained invalid UTF-8, which was replaced by U+FFFD. */
  readonly malformed: boolean;
}

/** Reads an `application/x-www-form-urlencoded` body. Malformed percent-encoding is not changed. */
export function readForm(text: string): Form {
  const form = text.trim();
  if (!isForm(form)) return noForm(form);
  const pairs: Pairs = Object.create(null);
  addPairs(form, pairs);
  return { value: { ...pairs }, malformed: hasBrokenEscapes(form) };
}

/** Like `readForm`, but in pieces. */
export function* readFormInPieces(text: string): Work<Form> {
  const form = text.trim();
  if (!isForm(form)) return noForm(form);
  const pairs: Pairs = Object.create(null);
  let malformed = false;
  for (let at = 0; at < form.length; ) {
    const found = form.indexOf("&", at + PIECE);
    const end = found < 0 ? form.length : found;
    const piece = form.slice(at, end);
    // URLSearchParams skips a leading question mark, which must be kept in a piece that is not the first
    addPairs((at > 0 ? "&" : "") + piece, pairs);
    malformed ||= hasBrokenEscapes(piece);
    yield end - at;
    at = end + 1;
  }
  return { value: pairs, malformed };
}

/** Reports whether a string begins with a name, unlike JSON, HTML or a sentence. */
function isForm(text: string): boolean {
  return /^[^\s"<>{}=]*=/.test(text);
}

function noForm(text: string): Form {
  return { value: text === "" ? undefined : text, malformed: false };
}

/**
 * Reports whether a sequence of escapes is invalid UTF-8. The characters between such sequences are always
 * valid UTF-8.
 */
function hasBrokenEscapes(text: string): boolean {
  if (!/%[89a-f][\da-f]/i.test(text)) return false;
  for (const [row] of text.matchAll(/(?:%[\da-f]{2})+/gi)) {
    try {
      decodeURIComponent(row);
    } catch {
      return true;
    }
  }
  return false;
}

type Pairs = Record<string, string | string[]>;

function addPairs(text: string, into: Pairs): void {
  for (const [name, value] of new URLSearchParams(text)) {
    const known = into[name];
    if (known === undefined) {
      into[name] = value;
    } else if (typeof known === "string") {
      into[name] = [known, value];
    } else {
      known.push(value);
    }
  }
}
