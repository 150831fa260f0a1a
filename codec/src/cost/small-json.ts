import type { JsonValue } from "../json/json.ts";
import { parseJson } from "../json/parse-json.ts";
import { checkJsonCost } from "./json-cost.ts";

/**
 * The maximum cost of JSON that is not the response of a method: an error, tokens, metadata. Such JSON is
 * parsed in one step, within about ten milliseconds.
 */
const MAX_COST = 200_000;

/**
 * Parses JSON that is not the response of a method, after checking its cost. Returns undefined for invalid or
 * too costly JSON.
 */
export function smallJson(text: string, parse: typeof parseJson = parseJson): JsonValue | undefined {
  try {
    checkJsonCost(text, MAX_COST);
    return parse(text);
  } catch {
    return undefined;
  }
}
