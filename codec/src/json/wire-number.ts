import type { JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";

/**
 * Returns a 64-bit integer for a JSON body whose upstream expects bare numbers: the exact number
 * `9007199254740993`, where ProtoJSON would write a string.
 */
export function wireNumber(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Returns a decimal number for a JSON body, with all of its digits. */
export function wireDecimal(text: string): JsonValue {
  if (!text.includes(".")) return wireNumber(BigInt(text));
  const number = Number(text);
  return String(number) === text ? number : new NumberText(text, number);
}
