import type { DescField } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { TimeRule } from "connect-rest-codec/internal";

/** The number of the extension `connectrest.v1.field` in the options of a field. */
const FIELD_RULES = 50871;

/** The parts of connectrest.v1.FieldRules that errors need. */
interface FieldOptions {
  /** The name on the wire; empty for the default. */
  readonly name: string;
  readonly isUnwrapped: boolean;
  readonly redact: boolean;
  /** The notation of the times in the field, if it is not RFC 3339. */
  readonly time: TimeRule | undefined;
}

/** The numbers of fields in FieldRules and in its message Time. */
const NAME = 2;
const TIME = 6;
const UNWRAP = 7;
const REDACT = 9;
const UNIT = 1;
const FORMAT = 2;

/** Time notations, indexed by connectrest.v1.Time.Unit. */
const UNITS: readonly (TimeRule | undefined)[] = [
  undefined,
  "seconds",
  "millis",
  "micros",
  "iso8601",
  undefined,
  "http_date",
  "rfc2822",
  "nanos",
];

const known = new WeakMap<DescField, FieldOptions>();

/** Reports whether a field is marked `redact` (connectrest.v1) or `debug_redact` (protobuf). */
export function isMarked(field: DescField): boolean {
  return optionsOf(field).redact;
}

/** Returns the notation that a field's rules specify for times. */
export function timeRuleOf(field: DescField): TimeRule | undefined {
  return optionsOf(field).time;
}

/** Returns the name that a field's rules specify; empty for the default. */
export function wireNameOf(field: DescField): string {
  return optionsOf(field).name;
}

/** Reports whether the JSON of a field's message is the value of its only field. */
export function isUnwrapped(field: DescField): boolean {
  return optionsOf(field).isUnwrapped;
}

function optionsOf(field: DescField): FieldOptions {
  const before = known.get(field);
  if (before !== undefined) return before;
  const { options } = field.proto;
  const rules = options?.$unknown?.filter(({ no }) => no === FIELD_RULES) ?? [];
  const made = readRules(
    rules.map(({ data }) => new BinaryReader(data).bytes()),
    options?.debugRedact === true,
  );
  known.set(field, made);
  return made;
}

/**
 * Decodes the bytes of connectrest.v1.FieldRules by hand, since this package does not load that message type.
 */
function readRules(parts: readonly Uint8Array[], isMarkedOtherwise: boolean): FieldOptions {
  let [redact, unit, format, name, unwrapped] = [isMarkedOtherwise, 0, "", "", false];
  const reads = new Map<number, (reader: BinaryReader) => void>([
    [NAME, (reader) => (name = reader.string())],
    [UNWRAP, (reader) => (unwrapped = reader.bool())],
    [REDACT, (reader) => (redact = reader.bool() || isMarkedOtherwise)],
    [TIME, (reader) => readFields(reader.bytes(), times)],
  ]);
  const times = new Map<number, (reader: BinaryReader) => void>([
    [UNIT, (reader) => (unit = reader.int32())],
    [FORMAT, (reader) => (format = reader.string())],
  ]);
  for (const part of parts) readFields(part, reads);
  return { name, isUnwrapped: unwrapped, redact, time: format === "" ? UNITS[unit] : { pattern: format } };
}

function readFields(bytes: Uint8Array, reads: ReadonlyMap<number, (reader: BinaryReader) => void>): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [no, type] = reader.tag();
    const read = reads.get(no);
    if (read === undefined) {
      reader.skip(type, type === WireType.StartGroup ? no : undefined);
    } else {
      read(reader);
    }
  }
}
