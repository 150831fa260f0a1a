import type { JsonValue, Work } from "connect-rest-codec/internal";

/** So many characters are read at a time, up to the end of a pair. */
const PIECE = 64 * 1024;

/** A form as it was read. */
export interface Form {
  /**
   * An object of strings; a repeated name has an array of strings. A text that is not a form is returned
   * unchanged, and undefined for an empty text.
   */
  readonly value: JsonValue | undefined;
  /** Escapes stand for bytes that are not UTF-8; these were read as U+FFFD. */
  readonly malformed: boolean;
}

/** Reads an `application/x-www-form-urlencoded` body. Malformed percent-encoding stays as it is. */
export function readForm(text: string): Form {
  const form = text.trim();
  if (!isForm(form)) return noForm(form);
  const pairs: Pairs = Object.create(null);
  addPairs(form, pairs);
  return { value: { ...pairs }, malformed: hasBrokenEscapes(form) };
}

/** Like `readForm`, in pieces. */
export function* readFormInPieces(text: string): Work<Form> {
  const form = text.trim();
  if (!isForm(form)) return noForm(form);
  const pairs: Pairs = Object.create(null);
  let malformed = false;
  for (let at = 0; at < form.length; ) {
    const found = form.indexOf("&", at + PIECE);
    const end = found < 0 ? form.length : found;
    const piece = form.slice(at, end);
    // a question mark in front is left out by URLSearchParams, but only the first one means nothing
    addPairs((at > 0 ? "&" : "") + piece, pairs);
    malformed ||= hasBrokenEscapes(piece);
    yield end - at;
    at = end + 1;
  }
  return { value: pairs, malformed };
}

/** Whether a text begins with a name, and not as JSON, HTML or a sentence does. */
function isForm(text: string): boolean {
  return /^[^\s"<>{}=]*=/.test(text);
}

function noForm(text: string): Form {
  return { value: text === "" ? undefined : text, malformed: false };
}

/** Whether a run of escapes is not UTF-8. The text between the runs always is. */
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
