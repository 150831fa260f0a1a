import { isJsonObject, type JsonValue, jsonTypeOf, valueAt } from "connect-rest-codec/internal";
import type { EnvelopeRule } from "../adapter/rules.ts";
import { isEmpty } from "./empty.ts";

/**
 * Takes the envelope off a body: the payload is what the first path leads to that has a value of the wanted
 * type there, or else any value other than null; one that holds an earlier one of another type is not taken
 * for it. undefined when none has; without an envelope the body itself.
 */
export function payloadOf(
  body: JsonValue | undefined,
  envelope: EnvelopeRule | undefined,
  type?: "array" | "object",
): JsonValue | undefined {
  if (envelope === undefined || envelope.payload.length === 0) return body;
  const found = envelope.payload
    .map((path) => ({ path, value: valueAt(body, path) }))
    .filter(({ value }) => value !== undefined && value !== null);
  const chosen = type === undefined ? undefined : found.findIndex(({ value }) => jsonTypeOf(value) === type);
  if (chosen === undefined || chosen < 0) return found[0]?.value;
  // what holds an alternative that came in another shape is no payload of its own
  const within = found.slice(0, chosen).find(({ path, value }) => {
    return !isEmpty(value) && isBelow(path, found[chosen]?.path ?? "");
  });
  return (within ?? found[chosen])?.value;
}

/** Where errors are if the envelope does not say so. */
export const ERRORS_PATH = "errors";

/**
 * Whether a body has errors in place of a payload, whatever its status: `{"data": null, "errors": [{…}]}`.
 * They are where the envelope names them, or at `errors`.
 */
export function hasErrorsAlone(body: JsonValue | undefined, envelope: EnvelopeRule | undefined): boolean {
  if (envelope === undefined || envelope.payload.length === 0 || !isJsonObject(body)) return false;
  const hasPayload = envelope.payload.some((path) => (valueAt(body, path) ?? null) !== null);
  if (hasPayload) return false;
  const errors = valueAt(body, envelope.errors ?? ERRORS_PATH);
  if (typeof errors === "string") return errors.trim() !== "";
  return typeof errors === "object" && errors !== null && Object.keys(errors).length > 0;
}

function isBelow(path: string, holder: string): boolean {
  return holder === "" || path.startsWith(`${holder}.`);
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
