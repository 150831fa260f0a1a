import type { Work } from "../time/work.ts";
import { type Preserved, quoteNumbers, unquoteNumbers } from "./big-numbers.ts";
import { parseWithKeys } from "./escaped-keys.ts";
import type { JsonValue } from "./json.ts";
import { type ParsePiece, parseInPieces } from "./parse-in-pieces.ts";
import { hasRoundedFraction } from "./rounded-fractions.ts";

/**
 * Parses JSON (RFC 8259) at the speed of JSON.parse. Integers beyond 2^53 are rounded; a reader that needs
 * their exact value calls `parseJsonExactly`. A fraction whose nearest double is an integer becomes a
 * `NumberText`, so that no reader takes it for this integer. A byte order mark is skipped. Returns undefined
 * for input that contains only white space.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue | undefined {
  const bare = withoutMark(text);
  return bare.trim() === "" ? undefined : parseDoubles(bare);
}

/**
 * Parses JSON like `parseJson`, but returns integers beyond 2^53 as bigint, including integers with an
 * exponent (`1e400`), and all other numbers that a double does not hold as a `NumberText`. Integers of more
 * than 1000 digits without an exponent are rounded, as by JSON.parse.
 *
 * @throws SyntaxError
 */
export function parseJsonExactly(text: string): JsonValue | undefined {
  const bare = withoutMark(text);
  return parsePreserving(bare, "values") ?? parseJson(bare);
}

/**
 * Parses JSON like `parseJson`, but returns each number whose notation JSON.parse would change as a bigint or
 * a `NumberText`, so that JSON.stringify preserves the notation. Returns undefined if the document has no
 * such numbers; the result of `parseJson` is then exact.
 *
 * @throws SyntaxError
 */
export function parseJsonVerbatim(text: string): JsonValue | undefined {
  return parsePreserving(withoutMark(text), "notations");
}

/** Parses JSON like `parseJson`, with all numbers as `parseJsonVerbatim` returns them. */
export function parseUnchanged(text: string): JsonValue | undefined {
  return parseJsonVerbatim(text) ?? parseJson(text);
}

/** Like `parseJson`, in pieces. */
export function* parseJsonInPieces(text: string): Work<JsonValue | undefined> {
  return yield* valueInPieces(text, parseDoubles);
}

/** Like `parseJsonExactly`, in pieces. */
export function* parseJsonExactlyInPieces(text: string): Work<JsonValue | undefined> {
  return yield* valueInPieces(text, (piece) => parsePreserving(piece, "values") ?? parseWithKeys(piece));
}

/** Like `parseJsonVerbatim`, in pieces. */
export function* parseJsonVerbatimInPieces(text: string): Work<JsonValue | undefined> {
  let isChanged = false;
  const value = yield* valueInPieces(text, (piece) => {
    const verbatim = parsePreserving(piece, "notations");
    if (verbatim === undefined) return parseWithKeys(piece);
    isChanged = true;
    return verbatim;
  });
  return isChanged ? value : undefined;
}

/** Parses JSON whose numbers are doubles, except for fractions that would become integers. */
function parseDoubles(text: string): JsonValue {
  return (hasRoundedFraction(text) ? parsePreserving(text, "fractions") : undefined) ?? parseWithKeys(text);
}

/** Returns undefined if JSON.parse preserves all of these numbers. */
function parsePreserving(text: string, preserved: Preserved): JsonValue | undefined {
  const quoted = quoteNumbers(text, preserved);
  return quoted && unquoteNumbers(parseWithKeys(quoted.text), quoted.mark);
}

function* valueInPieces(text: string, parse: ParsePiece): Work<JsonValue | undefined> {
  const bare = withoutMark(text);
  return bare.trim() === "" ? undefined : yield* parseInPieces(bare, parse);
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
