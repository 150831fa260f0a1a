import type { Field } from "./difference-writer.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import { wordOf } from "./read.ts";

/**
 * Returns the function that reads a value as a string, for comparison with the given words. If a word is an
 * integer that a double may not hold, the function requests an exact parse when the value is a rounded
 * integer.
 */
export function wordReader(
  texts: readonly string[],
): (value: Field, out: ProtoWriter, key: string) => string | undefined {
  return texts.some(isBig) ? (value, out, key) => out.word(value, key) : wordOf;
}

/** Reports whether a string is an integer that a double may not hold. */
function isBig(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}
