/** JSON with exact integers: a literal beyond 2^53 is a `bigint` in memory and a bare number on the wire. */

const raw = JSON as unknown as { rawJSON(text: string): unknown };

/** Writes JSON; a `bigint` becomes a bare number. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? raw.rawJSON(item.toString()) : item,
  );
}

/** Reads JSON; an integer that a double cannot hold becomes a `bigint`. Throws `SyntaxError`. */
export function readJson(text: string): unknown {
  // An unsafe integer has sixteen digits at least; without such a run of digits the plain parser does.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) => {
    const exact = typeof value !== "number" || Number.isSafeInteger(value);
    return exact || !/^-?\d+$/.test(context.source ?? "") ? value : BigInt(context.source as string);
  }) as (key: string, value: unknown) => unknown);
}

/** A JSON object, as far as its shape is known: keys and anything. */
export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
