/**
 * Follows a request message through its JSON: its integers have to be exact, and its values have to have a
 * spelling that protobuf-es does not take for another one.
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
import {
  type BareNumber,
  bareNumbers,
  checkDouble,
  needsQuotes,
  quoted,
  withMarks,
} from "./exact-integers.ts";
import { fieldsByJsonName } from "./json-names.ts";
import type { Place } from "./place.ts";
import { wrongForm, wrongKey, wrongName, wrongScalar } from "./strict-forms.ts";

/** Deeper messages are rejected by others. */
const MAX_DEPTH = 1000;
const VALUE_TYPES: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);

/**
 * The text of a request with every integer that JSON.parse would round in quotes, where the message has a
 * 64-bit integer. protobuf-es reports what is no JSON, or does not fit.
 *
 * @param types those that a google.protobuf.Any may have
 * @throws ConnectError INVALID_ARGUMENT for a number that the field, an integer or a google.protobuf.Value,
 *   cannot hold exactly, and for a spelling that has to be another one
 */
export function strictJson(desc: DescMessage, text: string, types: Registry | undefined): string {
  const numbers = bareNumbers(text);
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

/** What decides how a value is read: its message, its scalar or its enum. */
interface TypeOfValue {
  readonly message?: DescMessage | undefined;
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
}

class Visitor {
  /** The first value with a wrong spelling: numbers are rejected before it. */
  wrong: ConnectError | undefined;
  /** The numbers where the message has a 64-bit integer. */
  readonly quoted = new Set<BareNumber>();
  private readonly numbers: readonly BareNumber[];
  private readonly mark: string;
  private readonly types: Registry | undefined;

  constructor(numbers: readonly BareNumber[], mark: string, types: Registry | undefined) {
    this.numbers = numbers;
    this.mark = mark;
    this.types = types;
  }

  /** Calls itself by way of `field` alone, so that the stack is enough for the deepest message. */
  value(type: TypeOfValue, json: unknown, place: Place | undefined, depth: number): void {
    const { message } = type;
    if (message === undefined) {
      this.scalar(type, json, place);
      return;
    }
    if (depth > MAX_DEPTH) return;
    if (VALUE_TYPES.has(message.typeName)) {
      this.anyValue(json, place);
    } else if (isWrapperDesc(message)) {
      this.scalar(message.fields[0], json, place);
    } else if (typeof json === "string" && this.numberOf(json) === undefined) {
      this.wrong ??= wrongForm(message, json, place);
    } else if (isObject(json) && message.typeName === "google.protobuf.Any") {
      this.any(json, place, depth);
    } else if (isObject(json)) {
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
      if (!Array.isArray(value)) return;
      for (const [key, item] of value.entries()) this.value(field, item, { above, key }, depth);
    } else if (field.fieldKind === "map") {
      if (!isObject(value)) return;
      for (const [key, item] of Object.entries(value)) {
        this.wrong ??= wrongKey(field.mapKey, key, above);
        this.value(field, item, { above, key }, depth);
      }
    } else {
      this.value(field, value, above, depth);
    }
  }

  private any(json: Record<string, unknown>, place: Place | undefined, depth: number): void {
    const { "@type": url } = json;
    const desc =
      typeof url === "string" ? this.types?.getMessage(url.slice(url.lastIndexOf("/") + 1)) : undefined;
    if (desc === undefined) return;
    const hasOwnForm = hasCustomJsonRepresentation(desc) && Object.hasOwn(json, "value");
    this.value({ message: desc }, hasOwnForm ? json.value : json, place, depth + 1);
  }

  /** Whatever the nesting: a stack of its own, as the depth of the message has not been checked yet. */
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
      if (number !== undefined) {
        checkDouble(number, place);
      } else if (typeof value === "string") {
        this.text(value, place);
      }
    }
  }

  private text(text: string, place: Place | undefined): void {
    this.wrong ??= wrongScalar(ScalarType.STRING, text, place);
  }

  private scalar(type: TypeOfValue, value: unknown, place: Place | undefined): void {
    if (typeof value !== "string") return;
    const scalar = type.scalar ?? ScalarType.INT32;
    const number = this.numberOf(value);
    if (number !== undefined) {
      if (needsQuotes(number, scalar, place)) this.quoted.add(number);
    } else if (type.enum !== undefined) {
      this.wrong ??= wrongName(type.enum, value, place);
    } else {
      this.wrong ??= wrongScalar(scalar, value, place);
    }
  }

  private numberOf(value: unknown): BareNumber | undefined {
    if (this.numbers.length === 0 || typeof value !== "string") return undefined;
    return value.startsWith(this.mark) ? this.numbers[Number(value.slice(this.mark.length))] : undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
