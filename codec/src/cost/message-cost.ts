import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { MAX_DIGITS } from "../json/exact-decimal.ts";
import { endOfString } from "../json/json-text.ts";
import { type Budget, TooComplex, VALUE_COST } from "./budget.ts";
import { endOfScalar, isKey, isNumeric } from "./json-cost.ts";

/**
 * The cost of a message, a map entry, a google.protobuf.Value or an unknown field: each is a separate
 * object, which takes about ten times the time and memory of a scalar.
 */
export const MESSAGE_COST = 10;
/** The extra cost of a number that JSON.parse may round: the number is parsed again. */
const LONG_NUMBER_COST = 4;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LETTER_E = 0x65;
const LOWER_CASE = 0x20;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The number of bytes of a field mask that cost as much as one scalar. */
const MASK_BYTES_PER_VALUE = 16;
/** The length of the shortest number without exponent that JSON.parse may round. */
const LONG_NUMBER = 16;
/** The maximum length of a field name, including escapes. */
const MAX_NAME = 1000;
const NO_INTEGER = /[^\d\s+-]/;

/** A category of values with the same cost. */
type Kind =
  /** Anything inside an unknown key: the parser discards it. */
  | { readonly name: "unknown" }
  /**
   * google.protobuf.Value and related types, in which each value is a message. With `isAny`, the value may
   * also have any other type.
   */
  | { readonly name: "value"; readonly isAny: boolean }
  /** A scalar, an enum, or a message with a scalar JSON form. */
  | { readonly name: "scalar"; readonly isLong: boolean; readonly cost: number }
  | { readonly name: "mask" }
  | { readonly name: "message"; readonly fields: ReadonlyMap<string, Kind> }
  | { readonly name: "list"; readonly item: Kind }
  | { readonly name: "map"; readonly value: Kind; readonly hasNumbers: boolean };

const UNKNOWN: Kind = { name: "unknown" };
const SCALAR: Kind = { name: "scalar", isLong: false, cost: VALUE_COST };
const LONG: Kind = { name: "scalar", isLong: true, cost: VALUE_COST };
const SCALAR_MESSAGE: Kind = { name: "scalar", isLong: false, cost: MESSAGE_COST };
const LONG_MESSAGE: Kind = { name: "scalar", isLong: true, cost: MESSAGE_COST };
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

/** An object or array in progress. */
interface Frame {
  readonly kind: Kind;
  /** The kind of the next value. */
  // biome-ignore lint/plugin: changes with each key
  next: Kind;
}

/**
 * Counts the cost of decoding a message in a single pass over the characters of its ProtoJSON. Invalid JSON
 * also has a cost; the parser reports the error. The costs differ from the costs of responses (see
 * `checkJsonCost`): protobuf-es decodes requests into objects of the field types, and each type has a
 * different cost, which the JSON alone does not show.
 *
 * @param types the types that a google.protobuf.Any may contain; without them, extensions are not read
 * @throws TooCostly if the cost exceeds the budget, TooComplex for a number with too many digits
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
      const start = at++;
      if (code <= SPACE || code === COMMA || code === COLON) continue;
      if (code === QUOTE) {
        at = endOfString(text, at);
        if (isKey(text, at)) {
          this.key(start + 1, at - 1);
        } else {
          this.string(start + 1, at - 1);
        }
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.begin(code === OPEN_BRACE);
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        this.open.pop();
      } else {
        at = endOfScalar(text, at);
        if (isNumeric(code)) {
          this.number(start, at);
        } else {
          this.scalar();
        }
      }
    }
  }

  private get kind(): Kind {
    return this.open.at(-1)?.next ?? this.root;
  }

  private begin(isObject: boolean): void {
    const { kind } = this;
    this.budget.spend(kind.name === "value" ? 2 * MESSAGE_COST : MESSAGE_COST);
    this.open.push({ kind, next: itemOf(kind, isObject) });
  }

  private number(start: number, end: number): void {
    if (end - start > MAX_DIGITS) throw tooManyDigits(end - start);
    this.scalar();
    const mayBeRounded = end - start >= LONG_NUMBER || hasExponent(this.text, start, end);
    if (mayBeRounded) this.budget.spend(LONG_NUMBER_COST);
  }

  private scalar(): void {
    const { kind } = this;
    const isObject = kind.name === "value" || kind.name === "mask";
    this.budget.spend(kind.name === "scalar" ? kind.cost : isObject ? MESSAGE_COST + VALUE_COST : VALUE_COST);
  }

  private string(start: number, end: number): void {
    const { kind, text } = this;
    this.scalar();
    if ((kind.name === "scalar" && kind.isLong) || isAny(kind)) checkDigits(text, start, end);
    if (kind.name === "mask" || isAny(kind)) this.budget.spend(maskCost(text, start, end));
  }

  private key(start: number, end: number): void {
    const frame = this.open.at(-1);
    if (frame?.kind.name === "message") {
      const name = nameOf(this.text, start, end);
      const isExtension = this.hasExtensions && name.startsWith("[");
      const field = frame.kind.fields.get(name);
      frame.next = field ?? (isExtension ? ANY : UNKNOWN);
      this.budget.spend(field === undefined ? MESSAGE_COST : VALUE_COST);
      return;
    }
    if (frame?.kind.name === "map" && frame.kind.hasNumbers) checkDigits(this.text, start, end);
    this.budget.spend(MESSAGE_COST);
  }
}

/** Returns the kind of the values in a container. In a message object the kind depends on the key. */
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

/** Rejects a number that would be parsed as a bigint. */
function checkDigits(text: string, start: number, end: number): void {
  if (end - start <= MAX_DIGITS || NO_INTEGER.test(text.slice(start, end))) return;
  throw tooManyDigits(end - start);
}

/**
 * Returns the cost of a field mask: a list of paths in one string. Each path becomes a string, and so does
 * each path segment with a capital letter.
 */
function maskCost(text: string, start: number, end: number): number {
  let steps = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || (code >= 0x41 && code <= 0x5a)) steps++;
  }
  return steps * VALUE_COST + Math.floor((end - start) / MASK_BYTES_PER_VALUE);
}

/** Returns the key as JSON.parse returns it. */
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

function tooManyDigits(length: number): TooComplex {
  return new TooComplex(
    `a number of the message has ${length} characters; numbers have at most ${MAX_DIGITS} digits`,
  );
}

const known = new WeakMap<DescMessage, Kind>();

function kindOf(desc: DescMessage): Kind {
  const special = SPECIAL.get(desc.typeName) ?? known.get(desc);
  if (special !== undefined) return special;
  if (/^google\.protobuf\.\w+Value$/.test(desc.typeName)) return SCALAR_MESSAGE;
  const fields = new Map<string, Kind>();
  const kind: Kind = { name: "message", fields };
  // register the kind before the fields are visited: a message may contain itself
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
