import type { JsonValue } from "../json/json.ts";
import { parseJson } from "../json/parse-json.ts";
import { checkJsonCost } from "./json-cost.ts";

/**
 * What JSON may cost that a peer sends beside the responses of methods: an error, tokens, metadata. It is
 * parsed at once, in some ten milliseconds at most.
 */
const MAX_COST = 200_000;

/** The value of such JSON, counted before it is parsed; undefined for other text, and for what costs more. */
export function smallJson(text: string, parse: typeof parseJson = parseJson): JsonValue | undefined {
  try {
    checkJsonCost(text, MAX_COST);
    return parse(text);
  } catch {
    return undefined;
  }
}
