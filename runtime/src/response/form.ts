import type { JsonObject, Work } from "connect-rest-codec/internal";

/** So many characters are read at a time, up to the end of a pair. */
const PIECE = 64 * 1024;

/**
 * Reads an `application/x-www-form-urlencoded` body as an object of strings; a name that comes more than once
 * has an array of them. Malformed percent-encoding stays as it is.
 */
export function parseForm(text: string): JsonObject {
  const pairs: Pairs = Object.create(null);
  addPairs(text.trim(), pairs);
  return { ...pairs };
}

/** Like `parseForm`, in pieces. */
export function* parseFormInPieces(text: string): Work<JsonObject> {
  const form = text.trim();
  const pairs: Pairs = Object.create(null);
  for (let at = 0; at < form.length; ) {
    const found = form.indexOf("&", at + PIECE);
    const end = found < 0 ? form.length : found;
    // a question mark in front is left out by URLSearchParams, but only the first one means nothing
    addPairs((at > 0 ? "&" : "") + form.slice(at, end), pairs);
    yield end - at;
    at = end + 1;
  }
  return pairs;
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
