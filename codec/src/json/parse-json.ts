import type { Work } from "../time/work.ts";
import { quoteBigNumbers, unquoteBigNumbers } from "./big-numbers.ts";
import { parseWithKeys } from "./escaped-keys.ts";
import type { JsonValue } from "./json.ts";
import { type ParsePiece, parseInPieces } from "./parse-in-pieces.ts";

/**
 * Parses JSON (RFC 8259) with the speed of JSON.parse. Integers beyond 2^53 come out rounded; whoever meets
 * one where it counts asks for `parseJsonExactly`. A byte order mark is skipped;
 * text without a value is undefined.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue | undefined {
  const bare = withoutMark(text);
  return bare.trim() === "" ? undefined : parseWithKeys(bare);
}

/**
 * Parses JSON like `parseJson`, but integers beyond 2^53 come out as bigint, also where they are written with
 * an exponent (`1e400`). Only integers of more than 1000 digits stay what JSON.parse makes of them.
 *
 * @throws SyntaxError
 */
export function parseJsonExactly(text: string): JsonValue | undefined {
  const bare = withoutMark(text);
  const quoted = quoteBigNumbers(bare);
  if (quoted === undefined) return parseJson(bare);
  return unquoteBigNumbers(parseWithKeys(quoted.text), quoted.mark);
}

/**
 * Parses JSON like `parseJson`, but numbers that JSON.parse would not give back as they are written come out
 * as bigint or `NumberText`, so that JSON.stringify writes all of them as they came. undefined where there
 * are none: what `parseJson` makes of the text is then all of it.
 *
 * @throws SyntaxError
 */
export function parseJsonVerbatim(text: string): JsonValue | undefined {
  const quoted = quoteBigNumbers(withoutMark(text), true);
  return quoted && unquoteBigNumbers(parseWithKeys(quoted.text), quoted.mark);
}

/** Like `parseJson`, in pieces. */
export function* parseJsonInPieces(text: string): Work<JsonValue | undefined> {
  return yield* valueInPieces(text, parseWithKeys);
}

/** Like `parseJsonExactly`, in pieces. */
export function* parseJsonExactlyInPieces(text: string): Work<JsonValue | undefined> {
  return yield* valueInPieces(text, (piece) => {
    const quoted = quoteBigNumbers(piece);
    return quoted === undefined
      ? parseWithKeys(piece)
      : unquoteBigNumbers(parseWithKeys(quoted.text), quoted.mark);
  });
}

/** Like `parseJsonVerbatim`, in pieces. */
export function* parseJsonVerbatimInPieces(text: string): Work<JsonValue | undefined> {
  let isChanged = false;
  const value = yield* valueInPieces(text, (piece) => {
    const verbatim = parseJsonVerbatim(piece);
    if (verbatim === undefined) return parseWithKeys(piece);
    isChanged = true;
    return verbatim;
  });
  return isChanged ? value : undefined;
}

function* valueInPieces(text: string, parse: ParsePiece): Work<JsonValue | undefined> {
  const bare = withoutMark(text);
  return bare.trim() === "" ? undefined : yield* parseInPieces(bare, parse);
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
