/**
 * Checks the JSON of a request message against its type: integers must be exact, and values must not have a
 * spelling that protobuf-es misreads.
 */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { show } from "../text/show.ts";
import {
  checkDouble,
  needsQuotes,
  quoted,
  type UnsafeNumber,
  unsafeNumbers,
  withMarks,
} from "./exact-integers.ts";
import { fieldsByJsonName } from "./json-names.ts";
import type { Place } from "./place.ts";
import {
  hasStringForm,
  kindOfMessage,
  wrongForm,
  wrongKey,
  wrongKind,
  wrongName,
  wrongNull,
  wrongScalar,
} from "./strict-forms.ts";

/** Other checks reject messages that are nested more deeply. */
const MAX_DEPTH = 1000;
const VALUE_TYPES: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);

/**
 * Returns the JSON of a request in which 64-bit integers are strings of plain digits if protobuf-es would
 * round or reject them. Errors in syntax and types are left to protobuf-es.
 *
 * @param types the message types that a google.protobuf.Any may contain
 * @throws ConnectError INVALID_ARGUMENT for a number that its field (an integer or a google.protobuf.Value)
 *   cannot hold exactly, and for an invalid spelling
 */
export function strictJson(desc: DescMessage, text: string, types: Registry | undefined): string {
  const numbers = unsafeNumbers(text);
  let mark = "";
  let json: unknown;
  try {
    json = JSON.parse(text);
    if (numbers.length > 0) {
      mark = `#${globalThis.crypto.randomUUID()}:`;
      json = JSON.parse(withMarks(text, numbers, mark));
    }
  } catch {
    return text;
  }
  const visitor = new Visitor(numbers, mark, types);
  visitor.value({ message: desc }, json, undefined, 0);
  if (visitor.wrong !== undefined) throw visitor.wrong;
  return quoted(
    text,
    numbers.filter((number) => visitor.quoted.has(number)),
  );
}

/** The type that determines how a value is read: a message type, a scalar type or an enum type. */
interface TypeOfValue {
  readonly message?: DescMessage | undefined;
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
}

class Visitor {
  /** The error for the first value with an invalid spelling; errors in numbers are thrown first. */
  wrong: ConnectError | undefined;
  /** The unsafe numbers in fields with 64-bit integers. */
  readonly quoted = new Set<UnsafeNumber>();
  private readonly numbers: readonly UnsafeNumber[];
  private readonly mark: string;
  private readonly types: Registry | undefined;

  constructor(numbers: readonly UnsafeNumber[], mark: string, types: Registry | undefined) {
    this.numbers = numbers;
    this.mark = mark;
    this.types = types;
  }

  /**
   * Visits a value. Recurses only through `field`, so that the stack is large enough for the deepest message
   * that is allowed.
   */
  value(type: TypeOfValue, json: unknown, place: Place | undefined, depth: number): void {
    const { message } = type;
    if (message === undefined) {
      this.scalar(type, json, place);
      return;
    }
    if (depth > MAX_DEPTH) return;
    const text = this.textOf(json);
    if (VALUE_TYPES.has(message.typeName)) {
      this.anyValue(json, place);
    } else if (isWrapperDesc(message)) {
      this.scalar(message.fields[0], json, place);
    } else if (hasStringForm(message)) {
      if (text !== undefined) this.wrong ??= wrongForm(message, text, place);
    } else if (!isObject(json)) {
      this.kind(kindOfMessage(message), json, place);
    } else if (message.typeName === "google.protobuf.Any") {
      this.any(json, place, depth);
    } else {
      const fields = fieldsByJsonName(message);
      for (const [key, value] of Object.entries(json)) {
        const field = fields.get(key) ?? this.extension(key);
        if (field !== undefined) this.field(field, value, { above: place, key, field }, depth + 1);
      }
    }
  }

  private extension(key: string): DescField | undefined {
    const name = /^\[(.+)\]$/.exec(key)?.[1];
    return name === undefined ? undefined : (this.types?.getExtension(name) as DescField | undefined);
  }

  private field(field: DescField, value: unknown, above: Place, depth: number): void {
    if (field.fieldKind === "list") {
      if (Array.isArray(value)) {
        for (const [key, item] of value.entries()) this.value(field, item, { above, key }, depth);
      } else {
        this.kind("a JSON array", value, above);
      }
    } else if (field.fieldKind === "map") {
      if (isObject(value)) {
        this.map(field, value, above, depth);
      } else {
        this.kind("a JSON object with the entries of a map", value, above);
      }
    } else {
      this.value(field, value, above, depth);
    }
  }

  private map(
    field: DescField & { readonly fieldKind: "map" },
    entries: Record<string, unknown>,
    above: Place,
    depth: number,
  ): void {
    for (const [key, item] of Object.entries(entries)) {
      this.wrong ??= wrongKey(field.mapKey, key, above);
      this.value(field, item, { above, key }, depth);
    }
  }

  private any(json: Record<string, unknown>, place: Place | undefined, depth: number): void {
    const { "@type": url } = json;
    const desc =
      typeof url === "string" ? this.types?.getMessage(url.slice(url.lastIndexOf("/") + 1)) : undefined;
    if (desc === undefined) return;
    const hasOwnForm = hasCustomJsonRepresentation(desc) && Object.hasOwn(json, "value");
    if (hasOwnForm && json.value === null && isWrapperDesc(desc)) this.wrong ??= wrongNull(desc, place);
    this.value({ message: desc }, hasOwnForm ? json.value : json, place, depth + 1);
  }

  /** Visits any JSON with an explicit stack, because the depth has not been checked yet. */
  private anyValue(json: unknown, place: Place | undefined): void {
    const open: unknown[] = [json];
    while (open.length > 0) {
      const value = open.pop();
      if (typeof value === "object" && value !== null) {
        if (!Array.isArray(value)) for (const key of Object.keys(value)) this.text(key, place);
        for (const item of Object.values(value)) open.push(item);
        continue;
      }
      const number = this.numberOf(value);
      const text = this.textOf(value);
      if (text !== undefined) {
        this.text(text, place);
      } else if (number !== undefined) {
        checkDouble(number, place);
      }
    }
  }

  private text(text: string, place: Place | undefined): void {
    this.wrong ??= wrongScalar(ScalarType.STRING, text, place);
  }

  private scalar(type: TypeOfValue, value: unknown, place: Place | undefined): void {
    const text = this.textOf(value);
    if (text !== undefined && type.enum !== undefined) {
      this.wrong ??= wrongName(type.enum, text, place);
      return;
    }
    const scalar = type.scalar ?? ScalarType.INT32;
    const number = this.numberOf(value);
    if (text !== undefined) this.wrong ??= wrongScalar(scalar, text, place);
    if (number !== undefined && needsQuotes(number, scalar, place)) this.quoted.add(number);
  }

  /**
   * Reports a value of another kind than its field has. protobuf-es reports the kind of the whole message,
   * and decides where null means an absent value.
   */
  private kind(expected: string, value: unknown, place: Place | undefined): void {
    if (value !== null && place !== undefined) this.wrong ??= wrongKind(expected, this.shown(value), place);
  }

  /** Returns a value as the client wrote it, without the items of an array or object. */
  private shown(value: unknown): string {
    if (Array.isArray(value)) return "an array";
    if (typeof value === "object") return "an object";
    const number = this.numberOf(value);
    return number?.source ?? (typeof value === "string" ? show(value) : `${value}`);
  }

  private numberOf(value: unknown): UnsafeNumber | undefined {
    if (this.numbers.length === 0 || typeof value !== "string") return undefined;
    return value.startsWith(this.mark) ? this.numbers[Number(value.slice(this.mark.length))] : undefined;
  }

  /** Returns the string that the client wrote; undefined if the value is not a string. */
  private textOf(value: unknown): string | undefined {
    if (typeof value !== "string") return undefined;
    const number = this.numberOf(value);
    return number === undefined ? value : number.text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
