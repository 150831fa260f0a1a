import type { JsonValue } from "../json/json.ts";
import { parseJson } from "../json/parse-json.ts";
import { checkJsonCost } from "./json-cost.ts";

/**
 * The most that JSON other than the response of a method may cost: an error, tokens, metadata. It is parsed
 * in one go, within about ten milliseconds.
 */
const MAX_COST = 200_000;

/**
 * Parses such JSON after checking its cost; returns undefined for other text, and for JSON that costs more.
 */
export function smallJson(text: string, parse: typeof parseJson = parseJson): JsonValue | undefined {
  try {
    checkJsonCost(text, MAX_COST);
    return parse(text);
  } catch {
    return undefined;
  }
}
