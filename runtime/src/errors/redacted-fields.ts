import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { isReflectList, isReflectMap, isReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { Secret } from "../text/secret.ts";

/** `connectrest.v1.field` among the options of a field, and `redact` within it. */
const FIELD_RULES = 50871;
const REDACT = 9;

/**
 * The values of a message's fields that are marked `redact` (connectrest.v1) or `debug_redact` (protobuf),
 * also within messages, lists and maps. Booleans and enum values are not among them:
 * they say nothing without their field.
 */
export function redactedValues<D extends DescMessage>(desc: D, message: MessageShape<D>): Secret[] {
  if (!hasRedacted(desc)) return [];
  const values = new Set<string>();
  collect(reflect(desc, message), false, values);
  return [...values].filter((value) => value !== "").map((value) => new Secret(value));
}

function collect(value: unknown, isRedacted: boolean, into: Set<string>): void {
  if (isReflectMessage(value)) {
    for (const field of value.fields) {
      if (value.isSet(field)) collect(value.get(field), isRedacted || isMarked(field), into);
    }
  } else if (isReflectList(value)) {
    for (const item of value) collect(item, isRedacted, into);
  } else if (isReflectMap(value)) {
    for (const entry of value) for (const part of entry) collect(part, isRedacted, into);
  } else if (isRedacted) {
    const text = textOf(value);
    if (text !== undefined) into.add(text);
  }
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return typeof value === "boolean" || typeof value === "object" ? undefined : String(value);
}

const known = new WeakMap<DescMessage, boolean>();

/** Whether a message, or one within it, has a field that is marked. */
function hasRedacted(desc: DescMessage): boolean {
  const before = known.get(desc);
  if (before !== undefined) return before;
  const found = [...within(desc)].some((each) => each.fields.some(isMarked));
  known.set(desc, found);
  return found;
}

/** A message type and all that it is made of. */
function within(desc: DescMessage, seen: Set<DescMessage> = new Set()): ReadonlySet<DescMessage> {
  if (seen.has(desc)) return seen;
  seen.add(desc);
  for (const { message } of desc.fields) if (message !== undefined) within(message, seen);
  return seen;
}

const marks = new WeakMap<DescField, boolean>();

/** Whether a field is marked `redact` (connectrest.v1) or `debug_redact` (protobuf). */
export function isMarked(field: DescField): boolean {
  const before = marks.get(field);
  if (before !== undefined) return before;
  const { options } = field.proto;
  const rules = options?.$unknown?.filter(({ no }) => no === FIELD_RULES) ?? [];
  const marked = options?.debugRedact === true || rules.some(({ data }) => readRedact(data));
  marks.set(field, marked);
  return marked;
}

/** Reads `redact` from the bytes of connectrest.v1.FieldRules, which this package has no message for. */
function readRedact(data: Uint8Array): boolean {
  const reader = new BinaryReader(data);
  const rules = new BinaryReader(reader.bytes());
  let redact = false;
  while (rules.pos < rules.len) {
    const [no, type] = rules.tag();
    if (no === REDACT) {
      redact = rules.bool();
    } else {
      rules.skip(type);
    }
  }
  return redact;
}
