import {
  isJsonObject,
  type JsonValue,
  jsonTypeOf,
  numberFromText,
  type OnMisstep,
  type ProtoWriter,
  valueAt,
} from "connect-rest-codec/internal";
import type { EnvelopeRule } from "../adapter/rules.ts";
import { isEmpty } from "./empty.ts";

/**
 * Takes the envelope off a body: the payload is what the first path leads to that has a value of the wanted
 * type there, or else any value other than null; one that holds an earlier one of another type is not taken
 * for it. undefined when none has; without an envelope the body itself.
 *
 * @param found gets what is no object on the way to the payload, or on all ways where there is none
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

/** The path to the payload: the only one, or the one that `payloadOf` chooses; undefined for none. */
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
  // what holds an alternative that came in another shape is no payload of its own
  const within = present.slice(0, chosen).find(({ path, value }) => {
    return !isEmpty(value) && isBelow(path, present[chosen]?.path ?? "");
  });
  return (within ?? present[chosen])?.path;
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
  return statusIn(valueAt(body, envelope.status)) ?? http;
}

/** The status that a value is; undefined for one that HTTP could not have sent. */
function statusIn(value: JsonValue | undefined): number | undefined {
  const status = typeof value === "string" ? numberFromText(value) : value;
  const isStatus = typeof status === "number" && Number.isInteger(status) && status >= 200 && status <= 599;
  return isStatus ? status : undefined;
}

/** Notes a status in an envelope that is no number, as fields do; what is no status is lost. */
export function noteStatus(body: JsonValue | undefined, path: string, out: ProtoWriter): void {
  const value = valueAt(body, path, out.misstep);
  if (value === undefined || value === null) return;
  if (value === false || value === "") {
    out.coerce(path, STATUS, value);
  } else if (statusIn(value) === undefined) {
    out.drop(path, STATUS, value);
  } else if (typeof value === "string") {
    out.coerceText(path, STATUS, value);
  }
}

const STATUS = "an HTTP status";
