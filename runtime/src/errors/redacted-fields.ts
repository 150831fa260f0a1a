import { isUtf8 } from "node:buffer";
import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { AnySchema, type Duration, type Timestamp } from "@bufbuild/protobuf/wkt";
import { countText, NANOS_PER_SECOND, spanText, type TimeRule } from "connect-rest-codec/internal";
import { Secret } from "../text/secret.ts";
import { isTime, notation, protoSpan, rounded } from "../time/notation.ts";
import { isMarked, timeRuleOf } from "./field-options.ts";
import { numberTexts } from "./leaf-texts.ts";
import { type Leaf, leavesOf } from "./leaves.ts";

const UNITS = ["seconds", "millis", "micros", "nanos"] as const;

/** The notations in which upstreams may return a time, whichever notation the request used. */
const NOTATIONS: readonly TimeRule[] = [
  "iso8601",
  "http_date",
  "rfc2822",
  ...UNITS,
  { pattern: "YYYY-MM-DD HH:mm:ss" },
  { pattern: "YYYY-MM-DD" },
];

/**
 * Returns the values of fields marked `redact` (connectrest.v1) or `debug_redact` (protobuf) in a message, in
 * all notations that an upstream may use. Includes values in nested messages, lists, maps and
 * google.protobuf.Any. Booleans and enum values are excluded, since they have no meaning without their field.
 */
export function redactedValues<D extends DescMessage>(desc: D, message: MessageShape<D>): Secret[] {
  if (!mayHaveRedacted(desc)) return [];
  const leaves = leavesOf(reflect(desc, message)).filter(({ isRedacted }) => isRedacted);
  const values = new Set(leaves.flatMap(spellings));
  values.delete("");
  return [...values].map((value) => new Secret(value));
}

function spellings({ value, field }: Leaf): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Uint8Array) {
    const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
    return isUtf8(value) ? [base64, Buffer.from(value).toString()] : [base64];
  }
  if (typeof value !== "object") return numberTexts(value);
  return value.$typeName === "google.protobuf.Duration" ? spans(value) : times(value, field);
}

function times(time: Timestamp, field: DescField | undefined): string[] {
  if (!isTime(time)) return [String(time.seconds)];
  const own = field && timeRuleOf(field);
  const rules = own === undefined ? NOTATIONS : [own, ...NOTATIONS];
  return rules.flatMap((rule) =>
    [time, rounded(time, rule, "down"), rounded(time, rule, "up")].map((each) => notation(each, rule)),
  );
}

function spans(span: Duration): string[] {
  const counts = UNITS.map((unit) => spanText(span, unit));
  const seconds = countText(span.seconds * NANOS_PER_SECOND + BigInt(span.nanos), "seconds");
  return [protoSpan(span), `${seconds}s`, spanText(span, "iso8601"), ...counts];
}

const known = new WeakMap<DescMessage, boolean>();

/**
 * Reports whether a message type has a marked field, directly or nested, or may contain a packed message with
 * such a field.
 */
export function mayHaveRedacted(desc: DescMessage): boolean {
  const before = known.get(desc);
  if (before !== undefined) return before;
  const found = [...messagesWithin(desc)].some(
    (each) => each.typeName === AnySchema.typeName || each.fields.some(isMarked),
  );
  known.set(desc, found);
  return found;
}

/** Returns a message type and all message types nested in its fields. */
export function messagesWithin(
  desc: DescMessage,
  seen: Set<DescMessage> = new Set(),
): ReadonlySet<DescMessage> {
  if (seen.has(desc)) return seen;
  seen.add(desc);
  for (const { message } of desc.fields) if (message !== undefined) messagesWithin(message, seen);
  return seen;
}
