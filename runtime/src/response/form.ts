import type { JsonValue, Work } from "connect-rest-codec/internal";

/** So many characters are read at a time, up to the end of a pair. */
const PIECE = 64 * 1024;

/** A form as it was read. */
export interface Form {
  /**
   * An object of strings; a name that comes more than once has an array of them. A text that is no form is
   * that text, and an empty one undefined.
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

/** Whether the bytes of escapes are no UTF-8. What is no escape is UTF-8, so each row of them is by itself. */
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
