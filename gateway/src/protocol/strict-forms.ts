/** Checks spellings in ProtoJSON that protobuf-es misreads, drops, or rejects with an unclear error. */
import { type DescEnum, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { exactDecimal, isInteger } from "connect-rest-codec/internal";
import { didYouMean } from "connect-rest-runtime/internal";
import { show } from "../text/show.ts";
import { isBase64 } from "./base64.ts";
import { valueNames } from "./json-names.ts";
import { type Place, pathOf } from "./place.ts";

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const UNSIGNED = /^(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NOT_FINITE: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity"]);
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const MIN_TIME = Date.parse("0001-01-01T00:00:00Z");
const MAX_TIME = Date.parse("9999-12-31T23:59:59Z");
const DURATION = /^-?(\d+)(?:\.\d{1,9})?s$/;
const MAX_DURATION_SECONDS = 315_576_000_000;
const MASK = /^(?:[^,_]+(?:,[^,_]+)*)?$/;

const UNSIGNED_TYPES: ReadonlySet<ScalarType> = new Set([
  ScalarType.UINT32,
  ScalarType.UINT64,
  ScalarType.FIXED32,
  ScalarType.FIXED64,
]);

/** A string format: a check, and the expected form that an error states. */
interface Form {
  readonly isValid: (text: string) => boolean;
  readonly expected: string;
}

const INTEGER_FORM: Form = {
  isValid: isExactInteger,
  expected: "an integer in a text is decimal digits without zeros before them",
};
const FLOAT_FORM: Form = {
  isValid: (text) => NUMBER.test(text) || NOT_FINITE.has(text),
  expected: 'a number in a text is written as in JSON, or "NaN", "Infinity" or "-Infinity"',
};
const STRING_FORM: Form = {
  isValid: (text) => text.isWellFormed(),
  expected: "a text has no half of a surrogate pair",
};
const BYTES_FORM: Form = {
  isValid: isBase64,
  expected: "bytes are base64 (RFC 4648 section 4 or 5) without spaces, with all of its padding or none",
};

/** The formats of well-known types that are strings in JSON. */
const MESSAGE_FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    "google.protobuf.Timestamp",
    {
      isValid: isTimestamp,
      expected: 'a timestamp is a time that exists, with a zone (RFC 3339), e.g. "2025-11-01T11:00:00Z"',
    },
  ],
  [
    "google.protobuf.Duration",
    {
      isValid: (text) => Number(DURATION.exec(text)?.[1] ?? Number.NaN) <= MAX_DURATION_SECONDS,
      expected: 'a duration is seconds with at most 9 digits behind the point, e.g. "1.5s"',
    },
  ],
  [
    "google.protobuf.FieldMask",
    {
      isValid: (text) => MASK.test(text),
      expected:
        'a field mask is paths in lowerCamel with commas between them, e.g. "a,bC.d", none of them empty',
    },
  ],
]);

/** Reports whether a message is a string in JSON. */
export function hasStringForm({ typeName }: DescMessage): boolean {
  return MESSAGE_FORMS.has(typeName);
}

/** The maximum number of fields that an error lists. */
const MAX_FIELDS = 5;

/** Returns the kind of JSON that a message has, with the names of its fields. */
export function kindOfMessage({ typeName, fields }: DescMessage): string {
  const names = fields.slice(0, MAX_FIELDS).map(({ jsonName }) => jsonName);
  const others = fields.length > MAX_FIELDS ? ", …" : "";
  return `a JSON object with the fields of ${typeName}${names.length > 0 ? ` (${names.join(", ")}${others})` : ""}`;
}

/** Returns the error in a value of another kind of JSON than its field has. */
export function wrongKind(expected: string, got: string, place: Place): ConnectError {
  return wrong(place, `expected ${expected}; got ${got}`);
}

/**
 * Returns the error in a message that is written as a string; undefined if the string is valid, or if
 * protobuf-es reports the error.
 */
export function wrongForm(
  { typeName }: DescMessage,
  text: string,
  place: Place | undefined,
): ConnectError | undefined {
  return wrongIn(MESSAGE_FORMS.get(typeName), text, place);
}

/**
 * Returns the error in a scalar that is written as a string; undefined if the string is valid, or if
 * protobuf-es reports the error.
 */
export function wrongScalar(
  type: ScalarType,
  text: string,
  place: Place | undefined,
): ConnectError | undefined {
  return wrongIn(formOf(type), text, place);
}

function formOf(type: ScalarType): Form | undefined {
  switch (type) {
    case ScalarType.STRING:
      return STRING_FORM;
    case ScalarType.BOOL:
      return undefined;
    case ScalarType.BYTES:
      return BYTES_FORM;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return FLOAT_FORM;
    default:
      return INTEGER_FORM;
  }
}

function wrongIn(form: Form | undefined, text: string, place: Place | undefined): ConnectError | undefined {
  if (form === undefined || form.isValid(text)) return undefined;
  return wrong(place, `${form.expected}; got ${show(text)}`);
}

/**
 * Returns the error in the name of an enum value; undefined for a known name. protobuf-es treats an unknown
 * name as an unknown field, and drops its value.
 */
export function wrongName(desc: DescEnum, name: string, place: Place | undefined): ConnectError | undefined {
  const names = valueNames(desc);
  if (names.has(name)) return undefined;
  return wrong(place, `${desc.typeName} has no value ${show(name)}.${didYouMean(name, names)}`);
}

/** Returns the error in a google.protobuf.Any whose `value` is null. protobuf-es would read 0 or "". */
export function wrongNull({ typeName }: DescMessage, place: Place | undefined): ConnectError {
  return wrong(
    place,
    `"value" of a ${typeName} in a google.protobuf.Any cannot be null; omit the Any instead`,
  );
}

/** Returns the error in a map key; undefined if the key is valid. */
export function wrongKey(type: ScalarType, key: string, place: Place): ConnectError | undefined {
  if (type === ScalarType.STRING || type === ScalarType.BOOL) return undefined;
  const isUnsigned = UNSIGNED_TYPES.has(type);
  if ((isUnsigned ? UNSIGNED : INTEGER).test(key)) return undefined;
  const range = isUnsigned ? "an integer from 0" : "an integer";
  const expected = `a key of this map is ${range} in decimal digits, with nothing and no zeros before it`;
  return wrong(place, `${expected}; got ${show(key)}`);
}

function wrong(place: Place | undefined, text: string): ConnectError {
  return new ConnectError(`${pathOf(place, "written") || "the message"}: ${text}`, Code.InvalidArgument);
}

/**
 * Returns whether a string is an exact integer. Number and BigInt would also accept other bases and spaces,
 * and Number would round. Notations such as 1.0 and 1e2 are allowed.
 */
function isExactInteger(text: string): boolean {
  if (INTEGER.test(text)) return true;
  const decimal = NUMBER.test(text) ? exactDecimal(text) : undefined;
  return decimal !== undefined && isInteger(decimal);
}

/**
 * Returns whether a string is a valid timestamp. Date.parse would convert days and hours that do not exist,
 * such as February 30, to other days.
 */
function isTimestamp(text: string): boolean {
  const [, local, zone] = TIMESTAMP.exec(text) ?? [];
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString() !== `${local}.000Z`) return false;
  const time = Date.parse(`${local}${zone}`);
  return time >= MIN_TIME && time <= MAX_TIME;
}
