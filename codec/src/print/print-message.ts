/** Prints messages of protobuf bytes as ProtoJSON, into the writer in use. */
import { type DescMessage, fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import type { JsonWriter } from "./json-writer.ts";
import { type EnumPlan, type FieldPlan, type MessagePlan, type ValuePlan, wireTypeOf } from "./plan.ts";
import type { StructPrinter } from "./print-struct.ts";
import {
  defaultOf,
  isDefault,
  printKey,
  printScalar,
  printText,
  readScalar,
  type Scalar,
} from "./scalars.ts";
import { timestampText } from "./timestamp.ts";
import { Unprintable, type WireCursor } from "./wire-cursor.ts";

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** How deep messages may be nested, as in protobuf-es. */
export const MAX_DEPTH = 100;

/** What prints a message. */
export interface Printer {
  readonly out: JsonWriter;
  readonly structs: StructPrinter;
  /** The types of google.protobuf.Any in the message. */
  readonly registry: Registry | undefined;
  /** Whether fields may be in any order. */
  readonly sorts: boolean;
}

/** Fields are in another order than their numbers. */
export class Disorder extends Unprintable {}

/** Those of the message that is being printed: one at a time is. */
let out: JsonWriter;
let structs: StructPrinter;
let registry: Registry | undefined;
let sorts = false;

/** Whatever is printed from now on is printed so. */
export function use(printer: Printer): void {
  ({ out, structs, registry, sorts } = printer);
}

/** Prints a message; later where enough has been printed for now. */
export function printMessage(cursor: WireCursor, plan: MessagePlan, end: number, depth: number): void {
  if (!out.isSpent) {
    printMessageNow(cursor, plan, end, depth);
    return;
  }
  const from = cursor.position;
  cursor.position = end;
  out.postpone(() => {
    cursor.position = from;
    printMessageNow(cursor, plan, end, depth);
    return [];
  });
}

function printMessageNow(cursor: WireCursor, plan: MessagePlan, end: number, depth: number): void {
  if (depth > MAX_DEPTH) throw new Unprintable("nested too deep");
  switch (plan.form) {
    case "fields":
      (sorts ? printSorted : printFields)(cursor, plan, end, depth);
      return;
    case "timestamp":
      out.ascii(`"${timestampText(cursor, end)}"`);
      return;
    case "wrapper":
      printWrapper(cursor, plan, end);
      return;
    case "other":
      printOther(cursor, plan.desc, end);
      return;
    default:
      structs[plan.form](cursor, end, depth);
  }
}

function printFields(cursor: WireCursor, { fields }: MessagePlan, end: number, depth: number): void {
  let last = -1;
  let oneofs = 0;
  let isFirst = true;
  out.byte(OPEN_BRACE);
  while (cursor.position < end) {
    const tag = cursor.tag();
    const field = fields.get(tag >>> 3);
    if (field === undefined) {
      cursor.skip(tag & 7, end);
      continue;
    }
    if (field.index <= last) throw new Disorder("fields out of order");
    last = field.index;
    if (field.oneof >= 0) oneofs = withOneof(oneofs, field.oneof);
    if (printField(cursor, field, tag, end, depth, isFirst)) isFirst = false;
  }
  if (cursor.position !== end) throw new Unprintable("a field goes beyond its message");
  out.byte(CLOSE_BRACE);
}

/** A field as often as it comes. */
interface Run {
  readonly field: FieldPlan;
  readonly tag: number;
  /** Behind the first tag. */
  readonly start: number;
  readonly end: number;
}

/** Like `printFields`, of fields in any order, which are looked through before. */
function printSorted(cursor: WireCursor, { fields }: MessagePlan, end: number, depth: number): void {
  const runs = runsOf(cursor, fields, end).sort((a, b) => a.field.index - b.field.index);
  let oneofs = 0;
  let isFirst = true;
  out.byte(OPEN_BRACE);
  for (const [index, run] of runs.entries()) {
    const { field } = run;
    if (field === runs[index - 1]?.field) throw new Unprintable("a field in two places");
    if (field.oneof >= 0) oneofs = withOneof(oneofs, field.oneof);
    cursor.position = run.start;
    if (printField(cursor, field, run.tag, run.end, depth, isFirst)) isFirst = false;
    if (cursor.position !== run.end) throw new Unprintable("a field goes beyond its message");
  }
  cursor.position = end;
  out.byte(CLOSE_BRACE);
}

function runsOf(cursor: WireCursor, fields: MessagePlan["fields"], end: number): Run[] {
  const runs: Run[] = [];
  while (cursor.position < end) {
    const tag = cursor.tag();
    const field = fields.get(tag >>> 3);
    const start = cursor.position;
    do {
      cursor.skip(tag & 7, end);
    } while (nextIs(cursor, tag, end));
    if (field !== undefined) runs.push({ field, tag, start, end: cursor.position });
  }
  if (cursor.position !== end) throw new Unprintable("a field goes beyond its message");
  return runs;
}

/** Of the members of a oneof, the last one counts; serialisers write one. */
function withOneof(seen: number, oneof: number): number {
  const bit = 1 << oneof;
  if (oneof > 30 || (seen & bit) !== 0) throw new Unprintable("two members of a oneof");
  return seen | bit;
}

/** Prints a field, all of it. False when it has nothing to print. */
function printField(
  cursor: WireCursor,
  field: FieldPlan,
  tag: number,
  end: number,
  depth: number,
  isFirst: boolean,
): boolean {
  switch (field.kind) {
    case "singular":
      return printSingular(cursor, field, tag, end, depth, isFirst);
    case "list":
      return printList(cursor, field, tag, end, depth, isFirst);
    case "map":
      return printMap(cursor, field, tag, end, depth, isFirst);
  }
}

function printSingular(
  cursor: WireCursor,
  { value: plan, key, isImplicit }: FieldPlan,
  tag: number,
  end: number,
  depth: number,
  isFirst: boolean,
): boolean {
  if ((tag & 7) !== plan.wireType) throw new Unprintable("another wire type");
  if (plan.kind === "message") {
    beginKey(key, isFirst);
    printMessage(cursor, plan.message, cursor.end(end), depth + 1);
    return true;
  }
  if (plan.kind === "text") {
    const to = cursor.end(end);
    if (isImplicit && cursor.position === to) return false;
    beginKey(key, isFirst);
    printTextTo(cursor, to);
    return true;
  }
  if (plan.kind === "enum") {
    const number = cursor.varint32() | 0;
    if (!isKnown(plan.values, number) || (isImplicit && number === plan.values.zero)) return false;
    beginKey(key, isFirst);
    printEnum(plan.values, number);
    return true;
  }
  const scalar = readScalar(cursor, plan.scalar, end);
  if (isImplicit && isDefault(scalar)) return false;
  beginKey(key, isFirst);
  printScalar(cursor, plan.scalar, scalar, out);
  return true;
}

/** Prints a text that begins at the position. */
function printTextTo(cursor: WireCursor, end: number): void {
  printText(cursor.bytes, cursor.position, end, out);
  cursor.position = end;
}

function beginKey(key: Uint8Array, isFirst: boolean): void {
  if (!isFirst) out.byte(COMMA);
  out.raw(key);
}

function printList(
  cursor: WireCursor,
  { value: plan, key }: FieldPlan,
  tag: number,
  end: number,
  depth: number,
  isFirst: boolean,
): boolean {
  let count = 0;
  const item = (limit: number) => {
    if (plan.kind === "enum") {
      const number = cursor.varint32() | 0;
      if (!isKnown(plan.values, number)) throw new Unprintable("an item of a closed enum that is none");
      beginItem();
      printEnum(plan.values, number);
      return;
    }
    beginItem();
    if (plan.kind === "message") {
      printMessage(cursor, plan.message, cursor.end(limit), depth + 1);
    } else if (plan.kind === "text") {
      printTextTo(cursor, cursor.end(limit));
    } else {
      printScalar(cursor, plan.scalar, readScalar(cursor, plan.scalar, limit), out);
    }
  };
  const beginItem = () => {
    if (count++ > 0) {
      out.byte(COMMA);
    } else {
      beginKey(key, isFirst);
      out.byte(OPEN_BRACKET);
    }
  };
  const field = () => {
    if ((tag & 7) === plan.wireType) {
      item(end);
    } else if ((tag & 7) === 2) {
      readPacked(cursor, end, item);
    } else {
      throw new Unprintable("another wire type");
    }
  };
  printRepeated(cursor, tag, end, field);
  if (count > 0) out.byte(CLOSE_BRACKET);
  return count > 0;
}

/** Prints a field as often as it comes, its tag read the first time; later what is too much for now. */
function printRepeated(cursor: WireCursor, tag: number, end: number, field: () => void): void {
  field();
  while (nextIs(cursor, tag, end)) {
    if (out.isSpent) {
      printRepeatedLater(cursor, tag, end, field);
      return;
    }
    field();
  }
}

function printRepeatedLater(cursor: WireCursor, tag: number, end: number, field: () => void): void {
  const from = cursor.position;
  do {
    cursor.skip(tag & 7, end);
  } while (nextIs(cursor, tag, end));
  out.postpone(function* () {
    cursor.position = from;
    do {
      field();
      yield;
    } while (nextIs(cursor, tag, end));
  });
}

function readPacked(cursor: WireCursor, end: number, item: (limit: number) => void): void {
  const packedEnd = cursor.end(end);
  while (cursor.position < packedEnd) item(packedEnd);
}

/** Whether the next field is the same again; its tag is read then. */
function nextIs(cursor: WireCursor, tag: number, end: number): boolean {
  const before = cursor.position;
  if (before < end && cursor.varint32() === tag) return true;
  cursor.position = before;
  return false;
}

function printMap(
  cursor: WireCursor,
  field: FieldPlan,
  tag: number,
  end: number,
  depth: number,
  isFirst: boolean,
): boolean {
  const keys = new Set<string>();
  if ((tag & 7) !== 2) throw new Unprintable("another wire type");
  beginKey(field.key, isFirst);
  out.byte(OPEN_BRACE);
  printRepeated(cursor, tag, end, () => {
    if (keys.size > 0) out.byte(COMMA);
    printEntry(cursor, field, cursor.end(end), depth, keys);
  });
  out.byte(CLOSE_BRACE);
  return true;
}

/** An entry of a map: its key, field 1, and its value, field 2, either of which may be missing. */
function printEntry(
  cursor: WireCursor,
  { value, mapKey }: FieldPlan,
  end: number,
  depth: number,
  keys: Set<string>,
): void {
  if (mapKey === undefined) throw new Unprintable("a map without keys");
  const key = nextIs(cursor, (1 << 3) | wireTypeOf(mapKey), end)
    ? readScalar(cursor, mapKey, end)
    : defaultOf(mapKey);
  const name = nameOf(cursor, key);
  if (keys.has(name)) throw new Unprintable("a key twice");
  keys.add(name);
  printKey(cursor, mapKey, key, out);
  out.byte(COLON);
  const hasValue = nextIs(cursor, (2 << 3) | value.wireType, end);
  printMapValue(cursor, value, hasValue, end, depth);
  if (cursor.position !== end) throw new Unprintable("more in the entry of a map");
}

function nameOf(cursor: WireCursor, key: Scalar): string {
  if (typeof key !== "object") return String(key);
  return Buffer.from(cursor.bytes.subarray(key.start, key.end)).toString("latin1");
}

function printMapValue(
  cursor: WireCursor,
  plan: ValuePlan,
  hasValue: boolean,
  end: number,
  depth: number,
): void {
  if (plan.kind === "message") {
    const to = hasValue ? cursor.end(end) : cursor.position;
    printMessage(cursor, plan.message, to, depth + 1);
  } else if (plan.kind === "enum") {
    const number = hasValue ? cursor.varint32() | 0 : plan.values.zero;
    if (!isKnown(plan.values, number)) throw new Unprintable("a value of a closed enum that is none");
    printEnum(plan.values, number);
  } else {
    const scalar = hasValue ? readScalar(cursor, plan.scalar, end) : defaultOf(plan.scalar);
    printScalar(cursor, plan.scalar, scalar, out);
  }
}

/** Values without a name are none in a closed enum. */
function isKnown({ isOpen, names }: EnumPlan, number: number): boolean {
  return isOpen || names.has(number);
}

function printEnum({ names, isNull }: EnumPlan, number: number): void {
  const name = names.get(number);
  if (isNull) {
    out.ascii("null");
  } else if (name === undefined) {
    out.ascii(String(number));
  } else {
    out.raw(name);
  }
}

/** A wrapper (google.protobuf.StringValue and its siblings) is its value. */
function printWrapper(cursor: WireCursor, { fields }: MessagePlan, end: number): void {
  const plan = fields.get(1)?.value;
  if (plan?.kind !== "scalar" && plan?.kind !== "text") throw new Unprintable("a wrapper without a value");
  const hasValue = nextIs(cursor, (1 << 3) | plan.wireType, end);
  const scalar = hasValue ? readScalar(cursor, plan.scalar, end) : defaultOf(plan.scalar);
  if (cursor.position !== end) throw new Unprintable("more in a wrapper");
  printScalar(cursor, plan.scalar, scalar, out);
}

/** A message of a special form: a small one, as a rule. */
function printOther(cursor: WireCursor, desc: DescMessage, end: number): void {
  const bytes = cursor.bytes.subarray(cursor.position, end);
  try {
    out.raw(Buffer.from(JSON.stringify(toJson(desc, fromBinary(desc, bytes), registry && { registry }))));
  } catch {
    throw new Unprintable("a message without a JSON form");
  }
  cursor.position = end;
}
