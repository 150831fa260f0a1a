import type { JsonWriter } from "./json-writer.ts";
import { printText } from "./scalars.ts";
import { Unprintable, type WireCursor } from "./wire-cursor.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Tags of google.protobuf.Struct, its entries, Value and ListValue: the number of the field and its wire type. */
const FIELDS = 0x0a;
const KEY = 0x0a;
const ENTRY_VALUE = 0x12;
const NULL_VALUE = 0x08;
const NUMBER_VALUE = 0x11;
const STRING_VALUE = 0x1a;
const BOOL_VALUE = 0x20;
const STRUCT_VALUE = 0x2a;
const LIST_VALUE = 0x32;
const VALUES = 0x0a;

/** Prints google.protobuf.Struct and its siblings: a response can have a million of them. */
export class StructPrinter {
  private readonly out: JsonWriter;
  private readonly maxDepth: number;

  /** @param maxDepth how deep messages may be nested */
  constructor(out: JsonWriter, maxDepth: number) {
    this.out = out;
    this.maxDepth = maxDepth;
  }

  /** google.protobuf.Struct: an object. */
  struct(cursor: WireCursor, end: number, depth: number): void {
    const keys = new Set<string>();
    this.check(depth);
    this.out.byte(OPEN_BRACE);
    printUpTo(this.out, cursor, end, () => {
      if (keys.size > 0) this.out.byte(COMMA);
      expectTag(cursor, FIELDS);
      this.entry(cursor, cursor.end(end), depth, keys);
    });
    this.out.byte(CLOSE_BRACE);
  }

  /** google.protobuf.ListValue: an array. */
  list(cursor: WireCursor, end: number, depth: number): void {
    this.check(depth);
    this.out.byte(OPEN_BRACKET);
    let isFirst = true;
    printUpTo(this.out, cursor, end, () => {
      if (!isFirst) this.out.byte(COMMA);
      isFirst = false;
      expectTag(cursor, VALUES);
      this.value(cursor, cursor.end(end), depth + 1);
    });
    this.out.byte(CLOSE_BRACKET);
  }

  /** google.protobuf.Value: any JSON. One that holds nothing has none, and one that holds two things is unusual. */
  value(cursor: WireCursor, end: number, depth: number): void {
    this.check(depth);
    switch (cursor.position < end ? cursor.tag() : 0) {
      case NULL_VALUE:
        cursor.varint32();
        this.out.ascii("null");
        break;
      case NUMBER_VALUE:
        this.number(cursor.double());
        break;
      case STRING_VALUE:
        this.text(cursor, cursor.end(end));
        break;
      case BOOL_VALUE:
        this.out.ascii(cursor.varint32() === 0 && cursor.high === 0 ? "false" : "true");
        break;
      case STRUCT_VALUE:
        this.struct(cursor, cursor.end(end), depth + 1);
        break;
      case LIST_VALUE:
        this.list(cursor, cursor.end(end), depth + 1);
        break;
      default:
        throw new Unprintable("a value without a kind");
    }
    expectEnd(cursor, end);
  }

  private entry(cursor: WireCursor, end: number, depth: number, keys: Set<string>): void {
    const isKey = cursor.position < end && cursor.bytes[cursor.position] === KEY;
    if (isKey) {
      cursor.tag();
      const keyEnd = cursor.end(end);
      unseen(cursor.bytes.subarray(cursor.position, keyEnd), keys);
      this.text(cursor, keyEnd);
    } else {
      unseen(new Uint8Array(), keys);
      this.out.byte(QUOTE);
      this.out.byte(QUOTE);
    }
    this.out.byte(COLON);
    expectTag(cursor, ENTRY_VALUE);
    this.value(cursor, cursor.end(end), depth + 1);
    expectEnd(cursor, end);
  }

  private text(cursor: WireCursor, end: number): void {
    printText(cursor.bytes, cursor.position, end, this.out);
    cursor.position = end;
  }

  private number(value: number): void {
    if (!Number.isFinite(value)) throw new Unprintable("a number that JSON does not have");
    this.out.ascii(Object.is(value, -0) ? "-0" : String(value));
  }

  private check(depth: number): void {
    if (depth > this.maxDepth) throw new Unprintable("nested too deep");
  }
}

/** Prints one item after the other, up to where they end; later what is too much for now. */
function printUpTo(out: JsonWriter, cursor: WireCursor, end: number, item: () => void): void {
  while (cursor.position < end && !out.isSpent) item();
  const from = cursor.position;
  if (from >= end) {
    expectEnd(cursor, end);
    return;
  }
  cursor.position = end;
  out.postpone(function* () {
    for (cursor.position = from; cursor.position < end; yield) item();
    expectEnd(cursor, end);
  });
}

function unseen(key: Uint8Array, keys: Set<string>): void {
  const name = Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
  if (keys.has(name)) throw new Unprintable("a key twice");
  keys.add(name);
}

function expectTag(cursor: WireCursor, tag: number): void {
  if (cursor.tag() !== tag) throw new Unprintable("another field");
}

function expectEnd(cursor: WireCursor, end: number): void {
  if (cursor.position !== end) throw new Unprintable("more in a value");
}
