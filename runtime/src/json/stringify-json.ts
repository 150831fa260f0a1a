import type { JsonValue } from "./json.ts";
import { rawJSON } from "./raw.ts";

/**
 * Writes JSON (RFC 8259); a bigint as a bare, exact number.
 *
 * @throws RangeError for a value nested thousands of levels deep, which no message can be
 */
export function stringifyJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // a TypeError is a bigint; looking for one beforehand would cost more than this rare second round
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, exactly);
  }
}

function exactly(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(String(value)) : value;
}
