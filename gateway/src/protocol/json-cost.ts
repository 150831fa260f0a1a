import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { endOfString, MAX_DIGITS } from "connect-rest-codec/internal";
import { type Budget, LONG_NUMBER_COST, OBJECT_COST, tooManyDigits, VALUE_COST } from "./cost.ts";

const SPACE = 0x20;
const LOWER_CASE = 0x20;
const LETTER_E = 0x65;
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Bytes of a field mask that cost as much as a scalar does. */
const MASK_BYTES_PER_VALUE = 16;
/** The length of the shortest number that JSON.parse may round, other than such with an exponent. */
const LONG_NUMBER = 16;
/** The longest key that may be the name of a field, escapes included. */
const MAX_NAME = 1000;
const NUMBER = /-?\d[\d.eE+-]*/y;
const NO_INTEGER = /[^\d\s+-]/;
const WORD = /[a-z]+/y;

/** What decides what a value costs. */
type Kind =
  /** Whatever a message has below a key that is no field: it is parsed and forgotten. */
  | { readonly name: "unknown" }
  /** google.protobuf.Value and its siblings: each value is a message. With `isAny`, it may also be anything else. */
  | { readonly name: "value"; readonly isAny: boolean }
  /** A scalar, an enum, or a message that is written as one. */
  | { readonly name: "scalar"; readonly isLong: boolean; readonly cost: number }
  | { readonly name: "mask" }
  | { readonly name: "message"; readonly fields: ReadonlyMap<string, Kind> }
  | { readonly name: "list"; readonly item: Kind }
  | { readonly name: "map"; readonly value: Kind; readonly hasNumbers: boolean };

const UNKNOWN: Kind = { name: "unknown" };
const SCALAR: Kind = { name: "scalar", isLong: false, cost: VALUE_COST };
const LONG: Kind = { name: "scalar", isLong: true, cost: VALUE_COST };
const SCALAR_MESSAGE: Kind = { name: "scalar", isLong: false, cost: OBJECT_COST };
const LONG_MESSAGE: Kind = { name: "scalar", isLong: true, cost: OBJECT_COST };
const VALUE: Kind = { name: "value", isAny: false };
const ANY: Kind = { name: "value", isAny: true };
const MASK: Kind = { name: "mask" };

const LONG_SCALARS: ReadonlySet<ScalarType | undefined> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

const SPECIAL: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["google.protobuf.Any", ANY],
  ["google.protobuf.Struct", VALUE],
  ["google.protobuf.Value", VALUE],
  ["google.protobuf.ListValue", VALUE],
  ["google.protobuf.FieldMask", MASK],
  ["google.protobuf.Timestamp", SCALAR_MESSAGE],
  ["google.protobuf.Duration", SCALAR_MESSAGE],
  ["google.protobuf.Int64Value", LONG_MESSAGE],
  ["google.protobuf.UInt64Value", LONG_MESSAGE],
]);

/** An object or array that is open. */
interface Frame {
  readonly kind: Kind;
  readonly isObject: boolean;
  /** Whether the next text is a key. */
  // biome-ignore lint/plugin: changes while the object is read
  isAtKey: boolean;
  /** Of the value that comes next. */
  // biome-ignore lint/plugin: changes with each key
  next: Kind;
}

/**
 * Counts what decoding a message costs, by one look at each character of its ProtoJSON. Of text that is no JSON it counts
 * something; whoever parses it says what is wrong.
 *
 * @param types those that a google.protobuf.Any may have; without any, extensions are not read
 * @throws ConnectError RESOURCE_EXHAUSTED beyond the budget, INVALID_ARGUMENT for a number of too many digits
 */
export function spendJson(budget: Budget, desc: DescMessage, text: string, types?: Registry): void {
  new JsonWalker(budget, text, types !== undefined).walk(kindOf(desc));
}

class JsonWalker {
  private readonly budget: Budget;
  private readonly text: string;
  private readonly hasExtensions: boolean;
  private readonly open: Frame[] = [];
  private root: Kind = UNKNOWN;

  constructor(budget: Budget, text: string, hasExtensions: boolean) {
    this.budget = budget;
    this.text = text;
    this.hasExtensions = hasExtensions;
  }

  walk(kind: Kind): void {
    const { text } = this;
    this.root = kind;
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (code <= SPACE || code === COLON) {
        at++;
      } else if (code === QUOTE) {
        const end = endOfString(text, at + 1);
        this.string(text, at + 1, end - 1);
        at = end;
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.begin(code === OPEN_BRACE);
        at++;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        this.open.pop();
        at++;
      } else if (code === COMMA) {
        const frame = this.open.at(-1);
        if (frame?.isObject === true) frame.isAtKey = true;
        at++;
      } else {
        at = this.other(at);
      }
    }
  }

  private get kind(): Kind {
    return this.open.at(-1)?.next ?? this.root;
  }

  private begin(isObject: boolean): void {
    const { kind } = this;
    this.budget.spend(kind.name === "value" ? 2 * OBJECT_COST : OBJECT_COST);
    this.open.push({ kind, isObject, isAtKey: isObject, next: itemOf(kind, isObject) });
  }

  /** A number or a word. */
  private other(at: number): number {
    const number = ended(NUMBER, this.text, at);
    if (number > at) {
      if (number - at > MAX_DIGITS) throw tooManyDigits("a number of the message", number - at);
      this.scalar();
      const mayBeRounded = number - at >= LONG_NUMBER || hasExponent(this.text, at, number);
      if (mayBeRounded) this.budget.spend(LONG_NUMBER_COST);
      return number;
    }
    const word = ended(WORD, this.text, at);
    if (word > at) this.scalar();
    return Math.max(word, at + 1);
  }

  private scalar(): void {
    const { kind } = this;
    const isObject = kind.name === "value" || kind.name === "mask";
    this.budget.spend(kind.name === "scalar" ? kind.cost : isObject ? OBJECT_COST + VALUE_COST : VALUE_COST);
  }

  private string(text: string, start: number, end: number): void {
    const frame = this.open.at(-1);
    if (frame?.isAtKey === true) {
      frame.isAtKey = false;
      this.key(frame, text, start, end);
      return;
    }
    const { kind } = this;
    this.scalar();
    if ((kind.name === "scalar" && kind.isLong) || isAny(kind)) checkDigits(text, start, end);
    if (kind.name === "mask" || isAny(kind)) this.budget.spend(maskCost(text, start, end));
  }

  private key(frame: Frame, text: string, start: number, end: number): void {
    const { kind } = frame;
    switch (kind.name) {
      case "message": {
        const name = nameOf(text, start, end);
        const isExtension = this.hasExtensions && name.startsWith("[");
        const field = kind.fields.get(name);
        frame.next = field ?? (isExtension ? ANY : UNKNOWN);
        this.budget.spend(field === undefined ? OBJECT_COST : VALUE_COST);
        return;
      }
      case "map":
        if (kind.hasNumbers) checkDigits(text, start, end);
        this.budget.spend(OBJECT_COST);
        return;
      default:
        this.budget.spend(OBJECT_COST);
    }
  }
}

/** What the values of a container are; those of an object of a message depend on their keys. */
function itemOf(kind: Kind, isObject: boolean): Kind {
  if (kind.name === "list" && !isObject) return kind.item;
  if (kind.name === "map" && isObject) return kind.value;
  return kind.name === "value" ? kind : UNKNOWN;
}

function isAny(kind: Kind): boolean {
  return kind.name === "value" && kind.isAny;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((text.charCodeAt(at) | LOWER_CASE) === LETTER_E) return true;
  return false;
}

/** Refuses a text that would be read as a bigint. */
function checkDigits(text: string, start: number, end: number): void {
  if (end - start <= MAX_DIGITS || NO_INTEGER.test(text.slice(start, end))) return;
  throw tooManyDigits("a number of the message", end - start);
}

/** A field mask is a list of paths in one text; each path, and each step with a capital, is a text of its own. */
function maskCost(text: string, start: number, end: number): number {
  let steps = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || (code >= 0x41 && code <= 0x5a)) steps++;
  }
  return steps * VALUE_COST + Math.floor((end - start) / MASK_BYTES_PER_VALUE);
}

/** The key as JSON.parse will have it. */
function nameOf(text: string, start: number, end: number): string {
  if (end - start > MAX_NAME) return "";
  const key = text.slice(start, end);
  if (!key.includes("\\")) return key;
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return "";
  }
}

/** Where what the pattern describes ends; the position itself where it does not begin there. */
function ended(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const known = new WeakMap<DescMessage, Kind>();

function kindOf(desc: DescMessage): Kind {
  const special = SPECIAL.get(desc.typeName) ?? known.get(desc);
  if (special !== undefined) return special;
  if (/^google\.protobuf\.\w+Value$/.test(desc.typeName)) return SCALAR_MESSAGE;
  const fields = new Map<string, Kind>();
  const kind: Kind = { name: "message", fields };
  // before its fields: a message may hold itself
  known.set(desc, kind);
  for (const field of desc.fields) {
    const of = kindOfField(field);
    fields.set(field.name, of).set(field.jsonName, of);
  }
  return kind;
}

function kindOfField(field: DescField): Kind {
  const one =
    field.message !== undefined
      ? kindOf(field.message)
      : LONG_SCALARS.has(field.fieldKind === "enum" ? undefined : field.scalar)
        ? LONG
        : SCALAR;
  if (field.fieldKind === "list") return { name: "list", item: one };
  if (field.fieldKind !== "map") return one;
  return { name: "map", value: one, hasNumbers: field.mapKey !== ScalarType.STRING };
}
