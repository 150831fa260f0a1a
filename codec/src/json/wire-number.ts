import type { JsonValue } from "./json.ts";

/**
 * A 64-bit integer for a JSON body whose upstream wants bare numbers: `9007199254740993`, exact, where
 * ProtoJSON writes a string.
 */
export function wireNumber(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
