import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { type Budget, TooComplex, VALUE_COST } from "./budget.ts";
import { MESSAGE_COST } from "./message-cost.ts";

const END_GROUP = 4;
const LENGTH_DELIMITED = 2;
const ANY = "google.protobuf.Any";

/** The maximum nesting depth in a google.protobuf.Any: the default of protobuf-es. */
const ANY_DEPTH = 100;
/**
 * The maximum number of nested google.protobuf.Any messages. Each is decoded inside the one that contains it.
 */
const MAX_NESTED_ANY = 16;

/** Thrown for truncated or malformed bytes. The decoder fails at the same position and reports the error. */
class Malformed extends Error {}

const MALFORMED = new Malformed();

/**
 * Counts the cost of decoding a message by walking over its bytes. Like protobuf-es, the walk follows the
 * declared field types, not the wire types in tags. The walk stops where the bytes are malformed, or nested
 * deeper than `depth`, since decoding fails there.
 *
 * @param types the types that a google.protobuf.Any may contain; its content is decoded later, but counts
 *   here
 * @throws TooCostly if the cost exceeds the budget, TooComplex for too many nested google.protobuf.Any
 */
export function spendWire(
  budget: Budget,
  desc: DescMessage,
  bytes: Uint8Array,
  depth: number,
  types?: Registry,
): void {
  walk(new WireWalker(budget, bytes, { depth, nesting: 0, types }), desc);
}

function walk(walker: WireWalker, desc: DescMessage): void {
  try {
    walker.root(desc);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
  }
}

interface WalkOptions {
  /** The maximum nesting depth of messages. */
  readonly depth: number;
  /** The number of Any messages that contain these bytes. */
  readonly nesting: number;
  readonly types: Registry | undefined;
}

class WireWalker {
  private readonly budget: Budget;
  private readonly bytes: Uint8Array;
  private readonly options: WalkOptions;
  private depth: number;
  private at = 0;

  constructor(budget: Budget, bytes: Uint8Array, options: WalkOptions) {
    this.budget = budget;
    this.bytes = bytes;
    this.options = options;
    this.depth = options.depth;
  }

  root(desc: DescMessage): void {
    this.message(desc, this.bytes.length);
  }

  /** Walks over a message up to `end`; a group ends at its end tag. */
  private message(desc: DescMessage, end: number | undefined): void {
    if (--this.depth < 0) throw MALFORMED;
    const fields = fieldsOf(desc);
    const start = this.at;
    let last = start;
    while (this.at < (end ?? this.bytes.length)) {
      const tag = this.tag();
      if (end === undefined && (tag & 7) === END_GROUP) break;
      const field = fields.get(tag >>> 3);
      if (field === undefined) {
        this.budget.spend(MESSAGE_COST);
        this.skip(tag & 7);
      } else {
        this.field(field, tag & 7);
      }
      last = this.at;
    }
    this.depth++;
    if (desc.typeName === ANY) this.any(start, last);
  }

  private field(field: DescField, wireType: number): void {
    if (field.fieldKind === "map") {
      this.entry(field);
    } else if (field.message !== undefined) {
      this.child(field.message, field.delimitedEncoding);
    } else {
      const scalar = field.scalar ?? ScalarType.INT32;
      if (field.fieldKind === "list" && wireType === LENGTH_DELIMITED && isPackable(scalar)) {
        this.packed(scalar);
      } else {
        this.budget.spend(VALUE_COST);
        this.scalar(scalar);
      }
    }
  }

  private child(desc: DescMessage, isGroup: boolean): void {
    this.budget.spend(MESSAGE_COST);
    this.message(desc, isGroup ? undefined : this.end());
  }

  private entry(field: DescField & { readonly fieldKind: "map" }): void {
    this.budget.spend(MESSAGE_COST);
    const end = this.end();
    let hasValue = false;
    while (this.at < end) {
      const tag = this.tag();
      this.budget.spend(VALUE_COST);
      if (tag >>> 3 === 1) {
        this.scalar(field.mapKey);
      } else if (tag >>> 3 === 2) {
        hasValue = true;
        this.mapValue(field);
      } else {
        this.skip(tag & 7);
      }
    }
    // protobuf-es creates the default value for an absent value
    if (!hasValue) this.budget.spend(field.message === undefined ? VALUE_COST : MESSAGE_COST);
  }

  private mapValue(field: DescField & { readonly fieldKind: "map" }): void {
    if (field.message !== undefined) {
      this.child(field.message, false);
    } else {
      this.scalar(field.scalar ?? ScalarType.INT32);
    }
  }

  private packed(scalar: ScalarType): void {
    const end = this.end();
    while (this.at < end) {
      this.budget.spend(VALUE_COST);
      this.scalar(scalar);
    }
  }

  /**
   * Counts the cost of the message in a google.protobuf.Any. Unpacking decodes the last type name and the
   * last value.
   */
  private any(start: number, end: number): void {
    const after = this.at;
    this.at = start;
    let name = "";
    let value = this.bytes.subarray(0, 0);
    while (this.at < end) {
      const tag = this.tag();
      if (tag >>> 3 > 2) {
        this.skip(tag & 7);
      } else {
        const from = this.lengthAt();
        if (tag >>> 3 === 1) name = this.text(from, this.at);
        if (tag >>> 3 === 2) value = this.bytes.subarray(from, this.at);
      }
    }
    this.at = after;
    const { types, nesting } = this.options;
    const desc = types?.getMessage(name.slice(name.lastIndexOf("/") + 1));
    if (desc === undefined) return;
    if (nesting >= MAX_NESTED_ANY) {
      throw new TooComplex(
        `the message has more than ${MAX_NESTED_ANY} google.protobuf.Any within one another`,
      );
    }
    const options = { depth: ANY_DEPTH, nesting: nesting + 1, types };
    // malformed content is found only when the Any is unpacked; decoding continues after the Any
    walk(new WireWalker(this.budget, value, options), desc);
  }

  private text(start: number, end: number): string {
    // type names are shorter
    return Buffer.from(this.bytes.subarray(start, Math.min(end, start + 1000))).toString("latin1");
  }

  /** Reads a length, skips that many bytes, and returns the position of the first skipped byte. */
  private lengthAt(): number {
    const length = this.varint();
    const start = this.at;
    this.step(length);
    return start;
  }

  private scalar(scalar: ScalarType): void {
    switch (scalar) {
      case ScalarType.STRING:
      case ScalarType.BYTES:
        this.lengthAt();
        return;
      case ScalarType.DOUBLE:
      case ScalarType.FIXED64:
      case ScalarType.SFIXED64:
        this.step(8);
        return;
      case ScalarType.FLOAT:
      case ScalarType.FIXED32:
      case ScalarType.SFIXED32:
        this.step(4);
        return;
      default:
        this.varint();
    }
  }

  /** Skips an unknown field. */
  private skip(wireType: number): void {
    switch (wireType) {
      case 0:
        // a varint of any length, as in protobuf-es
        while ((this.bytes[this.at++] ?? 0) >= 0x80);
        this.step(0);
        return;
      case 1:
        this.step(8);
        return;
      case LENGTH_DELIMITED:
        this.lengthAt();
        return;
      case 3:
        this.skipGroup();
        return;
      case 5:
        this.step(4);
        return;
      default:
        throw MALFORMED;
    }
  }

  private skipGroup(): void {
    if (--this.depth < 0) throw MALFORMED;
    for (let tag = this.tag(); (tag & 7) !== END_GROUP; tag = this.tag()) {
      this.budget.spend(VALUE_COST);
      this.skip(tag & 7);
    }
    this.depth++;
  }

  /**
   * Returns the end of a message. If the end exceeds the input, the decoder reads all bytes before it finds
   * the error.
   */
  private end(): number {
    const length = this.varint();
    return this.at + length;
  }

  private step(size: number): void {
    this.at += size;
    if (this.at > this.bytes.length) throw MALFORMED;
  }

  private tag(): number {
    const tag = this.varint();
    if (tag < 8 || (tag & 7) > 5) throw MALFORMED;
    return tag;
  }

  /** Reads the lower 32 bits of a varint. */
  private varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw MALFORMED;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw MALFORMED;
  }
}

function isPackable(scalar: ScalarType): boolean {
  return scalar !== ScalarType.STRING && scalar !== ScalarType.BYTES;
}

const known = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
  const fields = known.get(desc) ?? new Map(desc.fields.map((field) => [field.number, field]));
  known.set(desc, fields);
  return fields;
}
