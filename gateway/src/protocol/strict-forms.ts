/**
 * Checks spellings in ProtoJSON that protobuf-es misreads, or rejects with an unclear error: numeric map
 * keys, durations and field masks.
 */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { show } from "../text/show.ts";
import { type Place, pathOf } from "./place.ts";

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const UNSIGNED = /^(?:0|[1-9]\d*)$/;
const DURATION = /^-?\d+(?:\.\d{1,9})?s$/;
const MASK = /^(?:[^,]+(?:,[^,]+)*)?$/;

const UNSIGNED_TYPES: ReadonlySet<ScalarType> = new Set([
  ScalarType.UINT32,
  ScalarType.UINT64,
  ScalarType.FIXED32,
  ScalarType.FIXED64,
]);

/**
 * Returns the error in a message that is written as a string; undefined if the string is valid, or if the
 * type is not checked here.
 */
export function wrongForm(
  { typeName }: DescMessage,
  text: string,
  place: Place | undefined,
): ConnectError | undefined {
  if (typeName === "google.protobuf.Duration" && !DURATION.test(text)) {
    return wrong(place, text, 'a duration is seconds with at most 9 digits behind the point, e.g. "1.5s"');
  }
  if (typeName === "google.protobuf.FieldMask" && !MASK.test(text)) {
    return wrong(
      place,
      text,
      'a field mask is paths with commas between them, e.g. "a,b.c", none of them empty',
    );
  }
  return undefined;
}

/** Returns the error in a map key; undefined if the key is valid. */
export function wrongKey(type: ScalarType, key: string, place: Place): ConnectError | undefined {
  if (!isNumber(type)) return undefined;
  const isUnsigned = UNSIGNED_TYPES.has(type);
  if ((isUnsigned ? UNSIGNED : INTEGER).test(key)) return undefined;
  const range = isUnsigned ? "an integer from 0" : "an integer";
  return wrong(
    place,
    key,
    `a key of this map is ${range} in decimal digits, with nothing and no zeros before it`,
  );
}

function wrong(place: Place | undefined, value: string, expected: string): ConnectError {
  const path = pathOf(place, "written") || "the message";
  return new ConnectError(`${path}: ${expected}; got ${show(value)}`, Code.InvalidArgument);
}

const known = new WeakMap<DescMessage, boolean>();

/** Returns whether the message, or a message that it can contain, has forms to check. */
export function hasStrictForms(desc: DescMessage): boolean {
  const cached = known.get(desc);
  if (cached !== undefined) return cached;
  const reached = new Set<DescMessage>([desc]);
  let isNeeded = false;
  for (const each of reached) {
    isNeeded ||= isSpecial(each) || each.fields.some(hasNumbersAsKeys);
    for (const { message } of each.fields) if (message !== undefined) reached.add(message);
  }
  known.set(desc, isNeeded);
  return isNeeded;
}

function isSpecial({ typeName, proto }: DescMessage): boolean {
  return (
    typeName === "google.protobuf.Duration" ||
    typeName === "google.protobuf.FieldMask" ||
    typeName === "google.protobuf.Any" ||
    proto.extensionRange.length > 0
  );
}

function hasNumbersAsKeys(field: DescField): boolean {
  return field.fieldKind === "map" && isNumber(field.mapKey);
}

function isNumber(key: ScalarType): boolean {
  return key !== ScalarType.STRING && key !== ScalarType.BOOL;
}
