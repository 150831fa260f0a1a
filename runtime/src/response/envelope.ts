import {
  declaredText,
  exactNumber,
  integerFromText,
  type JsonValue,
  jsonTypeOf,
  type OnMisstep,
  type ProtoWriter,
  valueAt,
} from "connect-rest-codec/internal";
import type { EnvelopeRule } from "../adapter/rules.ts";
import { isEmpty } from "./empty.ts";

/**
 * Returns the payload of a body: the value at the first path whose value has the expected type, or otherwise
 * the first value that is not null. A value that contains an earlier alternative of another type is not a
 * payload. Returns undefined if no path has a value, and the body itself if there is no envelope.
 *
 * @param found receives the values that are not objects: on the path to the payload or, without a payload, on
 *   all paths
 */
export function payloadOf(
  body: JsonValue | undefined,
  envelope: EnvelopeRule | undefined,
  type?: "array" | "object",
  found?: OnMisstep,
): JsonValue | undefined {
  const paths = envelope?.payload ?? [];
  if (paths.length === 0) return body;
  const chosen = payloadPath(body, paths, type);
  if (chosen !== undefined) return valueAt(body, chosen, found) ?? undefined;
  for (const path of paths) valueAt(body, path, found);
  return undefined;
}

/**
 * Returns the path to the payload: the only path, or the path that `payloadOf` chooses. Returns undefined if
 * there is no payload.
 */
export function payloadPath(
  body: JsonValue | undefined,
  paths: readonly string[],
  type?: "array" | "object",
): string | undefined {
  if (paths.length === 1) return paths[0];
  const present = paths
    .map((path) => ({ path, value: valueAt(body, path) }))
    .filter(({ value }) => value !== undefined && value !== null);
  const chosen = type === undefined ? -1 : present.findIndex(({ value }) => jsonTypeOf(value) === type);
  if (chosen < 0) return present[0]?.path;
  // a value that contains an alternative of another type is not a payload
  const within = present.slice(0, chosen).find(({ path, value }) => {
    return !isEmpty(value) && isBelow(path, present[chosen]?.path ?? "");
  });
  return (within ?? present[chosen])?.path;
}

function isBelow(path: string, holder: string): boolean {
  return holder === "" || path.startsWith(`${holder}.`);
}

/**
 * Returns the effective status. This is the HTTP status, unless the HTTP status is 200 and the envelope
 * contains another valid status, as in JSONP, where the HTTP status is always 200.
 */
export function statusOf(
  http: number,
  body: JsonValue | undefined,
  envelope: EnvelopeRule | undefined,
): number {
  if (http !== 200 || envelope?.status === undefined) return http;
  return statusIn(valueAt(body, envelope.status)) ?? http;
}

/** Returns the status in a value, or undefined if the value is not a valid HTTP status. */
function statusIn(value: JsonValue | undefined): number | undefined {
  const status = typeof value === "string" ? integerFromText(value) : exactNumber(value);
  const isStatus = typeof status === "number" && Number.isInteger(status) && status >= 200 && status <= 599;
  return isStatus ? status : undefined;
}

/**
 * If the status in an envelope is not a number, notes the differences. As in fields, an invalid status counts
 * as lost.
 */
export function noteStatus(body: JsonValue | undefined, path: string, out: ProtoWriter): void {
  const value = valueAt(body, path, out.misstep);
  if (value === undefined || value === null) return;
  const place = declaredText(path);
  if (value === false || value === "") {
    out.coerce(place, STATUS, value);
  } else if (statusIn(value) === undefined) {
    out.drop(place, STATUS, value);
  } else if (typeof value === "string") {
    out.coerceText(place, STATUS, value);
  }
}

const STATUS = "an HTTP status";
