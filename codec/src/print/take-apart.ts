import { isUtf8 } from "node:buffer";
import { type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import type { Work } from "../time/work.ts";
import { entryAt, type Range, type Run, runsOf, withoutLength } from "./fields-on-wire.ts";
import type { FieldPlan, MessagePlan } from "./plan.ts";
import { MAX_DEPTH } from "./protobuf-es.ts";
import { Unprintable, WireCursor } from "./wire-cursor.ts";

/**
 * Prints a message at a nesting depth in one step; the outermost message has depth 1. Returns undefined for a
 * message that is too large or unusual.
 */
export type PrintAtOnce = (desc: DescMessage, bytes: Uint8Array, depth: number) => Uint8Array | undefined;

const COMMA = Buffer.from(",");
const COLON = Buffer.from(":");
const QUOTE = Buffer.from('"');
const OPEN_BRACE = Buffer.from("{");
const CLOSE_BRACE = Buffer.from("}");
const OPEN_BRACKET = Buffer.from("[");
const CLOSE_BRACKET = Buffer.from("]");
const QUOTE_CODE = 0x22;
const NOTHING = new Uint8Array();
/** The google.protobuf.Value null. A Value without a kind has no JSON form. */
const NULL_VALUE = Uint8Array.of(0x08, 0x00);
const LENGTH_DELIMITED = 2;

/**
 * The minimum number of bytes printed in one step. A number and its tag, which cannot be split, are shorter.
 */
const MIN_BYTES = 16;
/** The number of map entries printed in one step. The WebAssembly printer does not compare more keys. */
const MAX_ENTRIES = 256;

/** The parts of a JSON array or object, with the separators between the values. */
class Values {
  private readonly parts: Uint8Array[];
  private readonly open: () => void;
  private hasValues = false;

  /** @param open writes the JSON before the first value */
  constructor(parts: Uint8Array[], open: () => void) {
    this.parts = parts;
    this.open = open;
  }

  get isEmpty(): boolean {
    return !this.hasValues;
  }

  /** Called before each value or group of values. */
  next(): void {
    if (this.hasValues) {
      this.parts.push(COMMA);
    } else {
      this.open();
    }
    this.hasValues = true;
  }

  /**
   * Adds the JSON of a message without the first `first` and the last `last` characters. Adds nothing if no
   * characters remain.
   */
  add(json: Uint8Array, first: number, last: number): void {
    if (json.length <= first + last) return;
    this.next();
    this.parts.push(json.subarray(first, json.length - last));
  }
}

/** The items of a list or the entries of a map, each printed as a message without other content. */
interface Repeated {
  readonly desc: DescMessage;
  readonly field: FieldPlan;
  readonly depth: number;
  readonly values: Values;
  /** The number of characters before and after the content of the list or map in the JSON of the message. */
  readonly first: number;
  readonly last: number;
}

/**
 * Prints a large message. Adjacent fields, items and entries are grouped into messages small enough to be
 * printed in one step. The contents of their JSON, without brackets, are then joined.
 */
export class TakeApart {
  /** The parts printed so far, in order. */
  readonly parts: Uint8Array[] = [];
  private readonly bytes: Uint8Array;
  private readonly print: PrintAtOnce;
  private readonly size: number;

  /** @param size the maximum number of bytes printed in one step */
  constructor(bytes: Uint8Array, print: PrintAtOnce, size: number) {
    this.bytes = bytes;
    this.print = print;
    this.size = Math.max(size, MIN_BYTES);
  }

  /** @throws Unprintable for unusual content */
  *message(plan: MessagePlan, range: Range, depth: number): Work<void> {
    if (depth > MAX_DEPTH) throw new Unprintable("messages nested too deep");
    if (range.to - range.from <= this.size || plan.form === "other" || plan.form === "timestamp") {
      const json = yield* this.atOnce(plan.desc, this.at(range), depth);
      if (json !== undefined) {
        this.parts.push(json);
        return;
      }
    }
    switch (plan.form) {
      case "fields":
        yield* this.fields(plan, range, depth);
        break;
      case "struct":
      case "list":
        yield* this.structOrList(plan, range, depth);
        break;
      case "value":
      case "wrapper":
        yield* this.onlyField(plan, range, depth);
        break;
      default:
        throw new Unprintable("a message without a JSON form");
    }
  }

  private at({ from, to }: Range): Uint8Array {
    return this.bytes.subarray(from, to);
  }

  private *atOnce(desc: DescMessage, bytes: Uint8Array, depth: number): Work<Uint8Array | undefined> {
    const json = this.print(desc, bytes, depth);
    yield Math.max(bytes.length, json?.length ?? 0);
    return json;
  }

  // messages

  private *fields(plan: MessagePlan, range: Range, depth: number): Work<void> {
    const runs = yield* runsOf(this.bytes, plan, range);
    const values = new Values(this.parts, () => this.parts.push(OPEN_BRACE));
    for (let first = 0; first < runs.length; ) {
      const end = this.endOfGroup(runs, first);
      yield* this.group(plan.desc, runs.slice(first, end), depth, values);
      first = end;
    }
    if (values.isEmpty) this.parts.push(OPEN_BRACE);
    this.parts.push(CLOSE_BRACE);
  }

  /**
   * Returns the end of the group that starts at `first`: adjacent small fields, which are printed together.
   */
  private endOfGroup(runs: readonly Run[], first: number): number {
    const start = runs[first];
    let end = first + 1;
    for (; end < runs.length; end++) {
      const run = runs[end];
      if (start === undefined || run === undefined) break;
      if (run.place !== start.place + end - first || run.to - start.from > this.size) break;
    }
    return end;
  }

  private *group(desc: DescMessage, runs: readonly Run[], depth: number, values: Values): Work<void> {
    const [first, second] = runs;
    if (first === undefined) return;
    const range = { from: first.from, to: runs.at(-1)?.to ?? first.to };
    if (range.to - range.from <= this.size) {
      const json = yield* this.atOnce(desc, this.at(range), depth);
      if (json !== undefined) {
        values.add(json, 1, 1);
        return;
      }
    }
    if (second === undefined) {
      yield* this.field(desc, first, depth, values);
    } else {
      for (const run of runs) yield* this.group(desc, [run], depth, values);
    }
  }

  private *field(desc: DescMessage, run: Run, depth: number, values: Values): Work<void> {
    const { field } = run;
    if (field.kind === "singular") {
      values.next();
      this.parts.push(field.key);
      yield* this.value(field, this.onlyValue(run), depth);
      return;
    }
    const open = field.kind === "list" ? OPEN_BRACKET : OPEN_BRACE;
    const items = new Values(this.parts, () => {
      values.next();
      this.parts.push(field.key, open);
    });
    const first = 1 + field.key.length + 1;
    yield* this.repeated(
      { desc, field, depth, values: items, first, last: 2 },
      run,
      this.size,
      keysOf(field),
    );
    if (!items.isEmpty) this.parts.push(field.kind === "list" ? CLOSE_BRACKET : CLOSE_BRACE);
  }

  /** Prints google.protobuf.Struct or ListValue, which contain only a map or a list. */
  private *structOrList(plan: MessagePlan, range: Range, depth: number): Work<void> {
    const { desc, form } = plan;
    this.parts.push(form === "struct" ? OPEN_BRACE : OPEN_BRACKET);
    const values = new Values(this.parts, () => {});
    for (const run of yield* runsOf(this.bytes, plan, range)) {
      const { field } = run;
      yield* this.repeated({ desc, field, depth, values, first: 1, last: 1 }, run, this.size, keysOf(field));
    }
    this.parts.push(form === "struct" ? CLOSE_BRACE : CLOSE_BRACKET);
  }

  /** Prints google.protobuf.Value or a wrapper: the value of its only field. */
  private *onlyField({ fields }: MessagePlan, range: Range, depth: number): Work<void> {
    const tag = new WireCursor(this.bytes, range.from).tag();
    const field = fields.get(tag >>> 3);
    if (field === undefined) throw new Unprintable("no field");
    yield* this.value(field, this.onlyValue({ ...range, tag }), depth);
  }

  /**
   * Returns the content of a length-delimited value that follows the tag and fills the rest of the message.
   */
  private onlyValue({ from, to, tag }: Range & Pick<Run, "tag">): Range {
    const cursor = new WireCursor(this.bytes, from);
    cursor.nextIs(tag, to);
    const value = withoutLength(this.bytes, { from: cursor.position, to });
    cursor.skip(tag & 7, to);
    if (cursor.position !== to || (tag & 7) !== LENGTH_DELIMITED) throw new Unprintable("more than a value");
    return value;
  }

  private *value({ value }: FieldPlan, range: Range, depth: number): Work<void> {
    if (value.kind === "message") {
      yield* this.message(value.message, range, depth + 1);
    } else if (value.kind === "text") {
      yield* this.text(range);
    } else if (value.kind === "scalar" && value.scalar === ScalarType.BYTES) {
      yield* this.base64(range);
    } else {
      throw new Unprintable("a value without a length");
    }
  }

  /**
   * Prints the items or entries in a range: small ones in groups, large ones individually.
   *
   * @param keys the map keys printed so far; undefined if the keys are known to be distinct
   */
  private *repeated(repeated: Repeated, range: Range, size: number, keys?: Set<string>): Work<void> {
    const cursor = new WireCursor(this.bytes, range.from);
    let { from } = range;
    const mostItems = repeated.field.kind === "map" ? MAX_ENTRIES : Number.POSITIVE_INFINITY;
    let count = 0;
    while (cursor.position < range.to) {
      const start = cursor.position;
      cursor.skip(cursor.tag() & 7, range.to);
      const to = cursor.position;
      if (keys !== undefined) this.expectNew(repeated.field, { from: start, to }, keys);
      if (start > from && (to - from > size || count === mostItems)) {
        yield* this.batch(repeated, { from, to: start });
        from = start;
        count = 0;
      }
      count++;
      if (to - from > size) {
        yield* this.item(repeated, { from, to });
        from = to;
        count = 0;
      }
    }
    if (from < range.to) yield* this.batch(repeated, { from, to: range.to });
  }

  /** Prints items or entries as one message, or as two if they are too large for one. */
  private *batch(repeated: Repeated, range: Range): Work<void> {
    const json = yield* this.atOnce(repeated.desc, this.at(range), repeated.depth);
    if (json === undefined) {
      yield* this.repeated(repeated, range, (range.to - range.from) >> 1);
    } else {
      repeated.values.add(json, repeated.first, repeated.last);
    }
  }

  private expectNew(field: FieldPlan, range: Range, keys: Set<string>): void {
    const { id } = entryAt(this.bytes, field, range);
    if (keys.has(id)) throw new Unprintable("a key twice");
    keys.add(id);
  }

  /** Prints a large item or entry. */
  private *item(repeated: Repeated, range: Range): Work<void> {
    const { field, values, depth } = repeated;
    const tag = new WireCursor(this.bytes, range.from).tag();
    if (field.kind === "map") {
      yield* this.entry(repeated, range);
    } else if ((tag & 7) !== field.value.wireType) {
      yield* this.packed(repeated, tag, this.onlyValue({ ...range, tag }));
    } else {
      values.next();
      yield* this.value(field, this.onlyValue({ ...range, tag }), depth);
    }
  }

  /** Prints scalars without tags (https://protobuf.dev/programming-guides/encoding/#packed). */
  private *packed({ desc, field, depth, values, first, last }: Repeated, tag: number, range: Range) {
    const { wireType } = field.value;
    const width = wireType === 1 ? 8 : wireType === 5 ? 4 : 1;
    const step = this.size - (this.size % width);
    for (let { from } = range; from < range.to; ) {
      let to = Math.min(from + step, range.to);
      if (wireType === 0) while (to < range.to && (this.bytes[to - 1] ?? 0) >= 0x80) to++;
      const bytes = new BinaryWriter().uint32(tag).bytes(this.at({ from, to })).finish();
      values.add(usual(yield* this.atOnce(desc, bytes, depth)), first, last);
      from = to;
    }
  }

  private *entry({ desc, field, depth, values, first, last }: Repeated, range: Range): Work<void> {
    const { key, value } = entryAt(this.bytes, field, range);
    if (value === undefined) {
      values.add(usual(yield* this.atOnce(desc, this.at(range), depth)), first, last);
      return;
    }
    values.next();
    if (field.mapKey === ScalarType.STRING) {
      yield* this.text(key);
    } else {
      const json = usual(yield* this.atOnce(desc, withoutValue(field, this.at(range), this.at(key)), depth));
      this.parts.push(json.subarray(first, json.indexOf(QUOTE_CODE, first + 1) + 1));
    }
    this.parts.push(COLON);
    yield* this.value(field, value, depth);
  }

  // scalars

  /** Prints a string in quotes, split only between characters. */
  private *text(range: Range): Work<void> {
    if (!isUtf8(this.at(range))) throw new Unprintable("text that is not UTF-8");
    this.parts.push(QUOTE);
    for (let { from } = range; from < range.to; ) {
      let to = Math.min(from + this.size, range.to);
      while (to < range.to && ((this.bytes[to] ?? 0) & 0xc0) === 0x80) to++;
      const json = Buffer.from(JSON.stringify(this.view({ from, to }).toString()).slice(1, -1));
      this.parts.push(json);
      yield json.length;
      from = to;
    }
    this.parts.push(QUOTE);
  }

  /** Prints bytes as base64 (RFC 4648 section 4), split only where no padding is needed. */
  private *base64(range: Range): Work<void> {
    const step = this.size - (this.size % 3);
    this.parts.push(QUOTE);
    for (let { from } = range; from < range.to; from += step) {
      const part = this.view({ from, to: Math.min(from + step, range.to) });
      this.parts.push(Buffer.from(part.toString("base64")));
      yield part.length;
    }
    this.parts.push(QUOTE);
  }

  private view({ from, to }: Range): Buffer {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + from, to - from);
  }
}

function keysOf({ kind }: FieldPlan): Set<string> | undefined {
  return kind === "map" ? new Set() : undefined;
}

function usual(json: Uint8Array | undefined): Uint8Array {
  if (json === undefined) throw new Unprintable("something unusual");
  return json;
}

/** Builds a map with a single entry: the key of another entry, and an empty message. */
function withoutValue({ value }: FieldPlan, entry: Uint8Array, key: Uint8Array): Uint8Array {
  const isValue = value.kind === "message" && value.message.form === "value";
  const writer = new BinaryWriter().uint32(new WireCursor(entry, 0).tag()).fork().raw(key);
  return writer
    .uint32((2 << 3) | LENGTH_DELIMITED)
    .bytes(isValue ? NULL_VALUE : NOTHING)
    .join()
    .finish();
}
