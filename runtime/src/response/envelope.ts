import type { EnvelopeRule } from "../adapter/rules.ts";
import { type JsonValue, jsonTypeOf } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";

/**
 * Takes the envelope off a body: the payload is what the first path leads to that has a value of the wanted type
 * there, or else any value other than null. undefined when none has; without an envelope the body itself.
 */
export function payloadOf(
  body: JsonValue | undefined,
  envelope: EnvelopeRule | undefined,
  type?: "array" | "object",
): JsonValue | undefined {
  if (envelope === undefined || envelope.payload.length === 0) return body;
  const values = envelope.payload
    .map((path) => valueAt(body, path))
    .filter((value) => value !== undefined && value !== null);
  return (type === undefined ? undefined : values.find((value) => jsonTypeOf(value) === type)) ?? values[0];
}

/**
 * The status that counts: that of HTTP, unless it is 200 and the envelope holds another one that HTTP could
 * have sent (as with JSONP, which is always 200).
 */
export function statusOf(
  http: number,
  body: JsonValue | undefined,
  envelope: EnvelopeRule | undefined,
): number {
  if (http !== 200 || envelope?.status === undefined) return http;
  const value = valueAt(body, envelope.status);
  const inner = typeof value === "string" ? Number(value) : value;
  return typeof inner === "number" && Number.isInteger(inner) && inner >= 200 && inner <= 599 ? inner : http;
}
