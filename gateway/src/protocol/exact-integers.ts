/**
 * 64-bit integers that JSON requests write as bare numbers, `735000000000070633`: JSON.parse, and so protobuf-es, would round
 * them. They are put into quotes, where ProtoJSON takes them as well, and nothing else of the text is changed.
 */
import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  areEqual,
  type ExactDecimal,
  endOfString,
  exactDecimal,
  isInteger,
  lengthOf,
  plainDigits,
} from "connect-rest-codec/internal";
import { fieldsByJsonName } from "./json-names.ts";

/** Digits that the largest 64-bit integer has. */
const MAX_LONG_DIGITS = 20;
const SUSPICIOUS = /\d{16}|\d(?:\.\d+)?[eE]/;
const NUMBER = /-?\d[\d.eE+-]*/g;
const VALUE_TYPES: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);
const LONG: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
const SHORT: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT32,
  ScalarType.UINT32,
  ScalarType.SINT32,
  ScalarType.FIXED32,
  ScalarType.SFIXED32,
]);

/** A number of the text that JSON.parse does not keep. */
interface BareNumber {
  readonly start: number;
  readonly source: string;
  /** Undefined for one of more digits than any type has. */
  readonly decimal: ExactDecimal | undefined;
}

/**
 * The text of a request with every integer that JSON.parse would round in quotes, where the message has a 64-bit integer. A
 * text without such numbers costs one look at its digits.
 *
 * @throws ConnectError INVALID_ARGUMENT for a number that the field, an integer or a google.protobuf.Value, cannot hold
 *   exactly
 */
export function withExactIntegers(desc: DescMessage, text: string, types: Registry | undefined): string {
  if (!SUSPICIOUS.test(text)) return text;
  const numbers = bareNumbers(text);
  if (numbers.length === 0) return text;
  const root = parsed(text, numbers);
  if (root === undefined) return text;
  const visitor = new Visitor(numbers, root.mark, types);
  visitor.message(desc, root.value, "");
  return replaced(
    text,
    numbers.filter((number) => visitor.quoted.has(number)),
    ({ decimal, source }) => `"${decimal === undefined ? source : plainDigits(decimal)}"`,
  );
}

/** The numbers that JSON.parse would change. It walks from string to string and never recurses. */
function bareNumbers(text: string): BareNumber[] {
  const numbers: BareNumber[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const gap = text.slice(at, quote < 0 ? text.length : quote);
    if (SUSPICIOUS.test(gap)) {
      for (const { 0: source, index } of gap.matchAll(NUMBER)) {
        const decimal = exactDecimal(source);
        if (isChanged(source, decimal)) numbers.push({ start: at + index, source, decimal });
      }
    }
    at = quote < 0 ? text.length : endOfString(text, quote + 1);
  }
  return numbers;
}

function isChanged(source: string, decimal: ExactDecimal | undefined): boolean {
  if (decimal !== undefined && isInteger(decimal)) return !isSafe(decimal);
  // a fraction that JSON.parse would round to an integer
  return Number.isInteger(Number(source)) || !Number.isFinite(Number(source));
}

function isSafe(integer: ExactDecimal): boolean {
  return lengthOf(integer) <= MAX_LONG_DIGITS && Number.isSafeInteger(Number(plainDigits(integer)));
}

/** The JSON with a string in place of each number; undefined where it is none, which others report. */
function parsed(text: string, numbers: readonly BareNumber[]) {
  const mark = `#${globalThis.crypto.randomUUID()}:`;
  try {
    JSON.parse(text);
    let index = 0;
    return { mark, value: JSON.parse(replaced(text, numbers, () => `"${mark}${index++}"`)) as unknown };
  } catch {
    return undefined;
  }
}

function replaced(text: string, numbers: readonly BareNumber[], by: (number: BareNumber) => string): string {
  const parts: string[] = [];
  let copied = 0;
  for (const number of numbers) {
    parts.push(text.slice(copied, number.start), by(number));
    copied = number.start + number.source.length;
  }
  return parts.join("") + text.slice(copied);
}

/** Follows a message through its JSON, and decides about each number. What does not fit is for protobuf-es to report. */
class Visitor {
  /** Those that stand where a 64-bit integer is. */
  readonly quoted = new Set<BareNumber>();
  private readonly numbers: readonly BareNumber[];
  private readonly mark: string;
  private readonly types: Registry | undefined;

  constructor(numbers: readonly BareNumber[], mark: string, types: Registry | undefined) {
    this.numbers = numbers;
    this.mark = mark;
    this.types = types;
  }

  message(desc: DescMessage, json: unknown, path: string): void {
    if (VALUE_TYPES.has(desc.typeName)) {
      this.anyValue(json, path);
    } else if (isWrapper(desc)) {
      this.scalar(desc.fields[0]?.scalar, json, path);
    } else if (isObject(json)) {
      if (desc.typeName === "google.protobuf.Any") {
        this.any(json, path);
      } else {
        this.fields(desc, json, path);
      }
    }
  }

  private fields(desc: DescMessage, json: Record<string, unknown>, path: string): void {
    const fields = fieldsByJsonName(desc);
    for (const [key, value] of Object.entries(json)) {
      const field = fields.get(key) ?? this.extension(key);
      if (field !== undefined) this.field(field, value, path === "" ? field.name : `${path}.${field.name}`);
    }
  }

  private extension(key: string): DescField | undefined {
    const name = /^\[(.+)\]$/.exec(key)?.[1];
    return name === undefined ? undefined : (this.types?.getExtension(name) as DescField | undefined);
  }

  private field(field: DescField, value: unknown, path: string): void {
    if (field.fieldKind === "list") {
      if (!Array.isArray(value)) return;
      value.forEach((item, index) => {
        this.value(field, item, `${path}[${index}]`);
      });
    } else if (field.fieldKind === "map") {
      if (!isObject(value)) return;
      for (const [key, item] of Object.entries(value)) this.value(field, item, `${path}[${key}]`);
    } else {
      this.value(field, value, path);
    }
  }

  private value(field: DescField, value: unknown, path: string): void {
    if (field.message !== undefined) {
      this.message(field.message, value, path);
    } else {
      this.scalar(field.scalar, value, path);
    }
  }

  private any(json: Record<string, unknown>, path: string): void {
    const { "@type": url } = json;
    const desc =
      typeof url === "string" ? this.types?.getMessage(url.slice(url.lastIndexOf("/") + 1)) : undefined;
    if (desc === undefined) return;
    if (isWrapper(desc) || VALUE_TYPES.has(desc.typeName) || desc.typeName === "google.protobuf.Any") {
      this.message(desc, json.value, path);
    } else {
      this.fields(desc, json, path);
    }
  }

  /** Whatever the nesting: a stack of its own, as the depth of the message has not been checked yet. */
  private anyValue(json: unknown, path: string): void {
    const open: unknown[] = [json];
    while (open.length > 0) {
      const value = open.pop();
      if (typeof value === "object" && value !== null) {
        for (const item of Object.values(value)) open.push(item);
        continue;
      }
      const number = this.numberOf(value);
      if (number === undefined || !Number.isFinite(Number(number.source))) continue;
      const { decimal, source } = number;
      const isLost = decimal !== undefined && !areEqual(decimal, exactDecimal(String(Number(source))));
      if (decimal !== undefined && isInteger(decimal) && isLost) {
        throw inexact(
          path,
          number.source,
          "a google.protobuf.Value, whose numbers are doubles,",
          "send it as a string",
        );
      }
    }
  }

  private scalar(scalar: ScalarType | undefined, value: unknown, path: string): void {
    const number = scalar === undefined ? undefined : this.numberOf(value);
    if (number === undefined || scalar === undefined) return;
    if (!LONG.has(scalar) && !SHORT.has(scalar)) return;
    const { decimal, source } = number;
    if (decimal === undefined || !isInteger(decimal)) {
      throw inexact(path, source, "an integer", "send one without a fraction");
    }
    if (lengthOf(decimal) > MAX_LONG_DIGITS) {
      throw inexact(path, source, "an integer of 64 bits", "send a smaller one");
    }
    if (LONG.has(scalar)) this.quoted.add(number);
  }

  private numberOf(value: unknown): BareNumber | undefined {
    return typeof value === "string" && value.startsWith(this.mark)
      ? this.numbers[Number(value.slice(this.mark.length))]
      : undefined;
  }
}

function isWrapper({ typeName, fields }: DescMessage): boolean {
  return /^google\.protobuf\.\w+Value$/.test(typeName) && fields.length === 1 && fields[0]?.name === "value";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inexact(path: string, source: string, what: string, remedy: string): ConnectError {
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  return new ConnectError(
    `${path || "the message"}: ${what} cannot hold ${shown} exactly; ${remedy}`,
    Code.InvalidArgument,
  );
}
