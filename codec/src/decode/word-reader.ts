import type { Field } from "./difference-writer.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import { wordOf } from "./read.ts";

/**
 * The function that reads a value as text, to compare it with some texts. Where one of these is an integer
 * that a double may not hold, it asks for an integer that JSON.parse has rounded as it came.
 */
export function wordReader(
  texts: readonly string[],
): (value: Field, out: ProtoWriter, key: string) => string | undefined {
  return texts.some(isBig) ? (value, out, key) => out.word(value, key) : wordOf;
}

/** Whether a text is an integer that a double may not hold. */
function isBig(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}
