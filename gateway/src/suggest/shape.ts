import {
  instantFrom,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  NumberText,
} from "connect-rest-codec/internal";

/** The maximum number of keys of an object, and of distinct strings, that a shape keeps. */
const MAX_KEYS = 200;
const MAX_TEXTS = 64;
/** The maximum length of a string that a shape keeps. */
const MAX_LENGTH = 64;
const MAX_DEPTH = 24;

/** The number of shapes that may still be created. */
export type Allowance = {
  shapes: number;
};

/** A notation that all strings of a place have. */
export type Notation = (typeof NOTATIONS)[number][0];

const NOTATIONS = [
  ["zoned", (text: string) => isTime(text, "iso8601", false)],
  ["iso", (text: string) => isTime(text, "iso8601")],
  ["http_date", (text: string) => / GMT$/.test(text) && isTime(text, "http_date")],
  ["rfc2822", (text: string) => isTime(text, "rfc2822")],
  ["integer", (text: string) => /^(?:0|-?[1-9]\d{0,18})$/.test(text) && isInt64(BigInt(text))],
  // text because a double cannot represent them
  ["large", (text: string) => /^[1-9]\d{15,18}$/.test(text)],
  ["word", (text: string) => /^[A-Za-z][A-Za-z_.:-]{0,39}$/.test(text)],
] as const;

function isTime(text: string, rule: "iso8601" | "http_date" | "rfc2822", isLocal?: boolean): boolean {
  const instant = instantFrom(text, rule);
  if (instant === undefined || instant.isCut || instant.isOtherDay === true) return false;
  return isLocal === undefined || instant.isLocal === isLocal;
}

/** The common properties of the strings at a place. */
class Strings {
  count = 0;
  empty = 0;
  readonly notations: Set<Notation> = new Set(NOTATIONS.map(([name]) => name));
  /** The distinct strings with their counts. Undefined for too many or too long strings. */
  texts: Map<string, number> | undefined = new Map();

  add(text: string): void {
    this.count++;
    if (text === "") {
      this.empty++;
      return;
    }
    for (const [name, holds] of NOTATIONS) {
      if (this.notations.has(name) && !holds(text)) this.notations.delete(name);
    }
    if (this.texts === undefined) return;
    this.texts.set(text, (this.texts.get(text) ?? 0) + 1);
    if (this.texts.size > MAX_TEXTS || text.length > MAX_LENGTH) this.texts = undefined;
  }

  /** Reports whether all strings that are not empty have a notation, and there is one. */
  are(notation: Notation): boolean {
    return this.count > this.empty && this.notations.has(notation);
  }
}

/** The common properties of the numbers at a place. */
class Numbers {
  count = 0;
  zeros = 0;
  hasFractions = false;
  /** The range of the integers except zero. */
  least: bigint | undefined;
  most: bigint | undefined;

  add(value: number | bigint): void {
    this.count++;
    if (typeof value === "number" && !Number.isInteger(value)) {
      this.hasFractions = true;
      return;
    }
    // the parser rounds the largest integers to the number above their range
    const isRounded = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    const integer = BigInt(value) - (isRounded ? BigInt(Math.sign(value)) : 0n);
    if (integer === 0n) {
      this.zeros++;
    } else {
      if (this.least === undefined || integer < this.least) this.least = integer;
      if (this.most === undefined || integer > this.most) this.most = integer;
    }
  }

  /** Reports whether all numbers are integers in a range; with `none`, or zero. */
  areWithin(least: bigint, most: bigint): boolean {
    if (this.hasFractions) return false;
    const isZeroWithin = least <= 0n || this.zeros === 0;
    return isZeroWithin && (this.least ?? least) >= least && (this.most ?? most) <= most;
  }
}

/** The common properties of the values at a place, over all samples. The memory that it needs is bounded. */
export class Shape {
  nulls = 0;
  booleans = 0;
  lists = 0;
  objects = 0;
  /** Whether values were left out because of a limit. */
  isCut = false;
  readonly strings: Strings = new Strings();
  readonly numbers: Numbers = new Numbers();
  /** The items of all lists. Undefined without items. */
  items: Shape | undefined;
  /** The values of the keys of all objects. */
  readonly keys: Map<string, Shape> = new Map();
  private readonly allowance: Allowance;
  private readonly depth: number;

  constructor(allowance: Allowance, depth = 0) {
    this.allowance = allowance;
    this.depth = depth;
  }

  /** The number of values, including null. */
  get count(): number {
    const { nulls, booleans, lists, objects, strings, numbers } = this;
    return nulls + booleans + lists + objects + strings.count + numbers.count;
  }

  /** The JSON types of the values, without null. */
  get types(): readonly JsonType[] {
    const counts = [
      ["string", this.strings.count],
      ["number", this.numbers.count],
      ["boolean", this.booleans],
      ["object", this.objects],
      ["array", this.lists],
    ] as const;
    return counts.filter(([, count]) => count > 0).map(([type]) => type);
  }

  add(value: JsonValue): void {
    if (typeof value === "string") {
      this.strings.add(value);
    } else if (typeof value === "number" || typeof value === "bigint") {
      this.numbers.add(value);
    } else if (value instanceof NumberText) {
      this.numbers.add(/[.eE]/.test(value.source) ? Number.NaN : value.value);
    } else if (typeof value === "boolean") {
      this.booleans++;
    } else if (value === null) {
      this.nulls++;
    } else if (isJsonObject(value)) {
      this.addKeys(value);
    } else {
      this.addItems(value);
    }
  }

  /** Adds all that another shape contains, for the values of a map. */
  addAll(shapes: Iterable<Shape>): this {
    for (const other of shapes) this.merge(other);
    return this;
  }

  private addItems(items: readonly JsonValue[]): void {
    this.lists++;
    if (items.length === 0) return;
    this.items ??= this.below();
    for (const item of items) this.items?.add(item);
  }

  private addKeys(object: JsonObject): void {
    this.objects++;
    for (const [key, value] of Object.entries(object)) this.at(key)?.add(value ?? null);
  }

  private at(key: string): Shape | undefined {
    const known = this.keys.get(key);
    if (known !== undefined) return known;
    const made = this.keys.size < MAX_KEYS ? this.below() : undefined;
    if (made === undefined) {
      this.isCut = true;
    } else {
      this.keys.set(key, made);
    }
    return made;
  }

  private below(): Shape | undefined {
    if (this.depth >= MAX_DEPTH || this.allowance.shapes <= 0) {
      this.isCut = true;
      return undefined;
    }
    this.allowance.shapes--;
    return new Shape(this.allowance, this.depth + 1);
  }

  private merge(other: Shape): void {
    this.nulls += other.nulls;
    this.booleans += other.booleans;
    this.lists += other.lists;
    this.objects += other.objects;
    this.isCut ||= other.isCut;
    mergeStrings(this.strings, other.strings);
    mergeNumbers(this.numbers, other.numbers);
    if (other.items !== undefined) {
      this.items ??= this.below();
      this.items?.merge(other.items);
    }
    for (const [key, shape] of other.keys) this.at(key)?.merge(shape);
  }
}

/** A JSON type other than null. */
export type JsonType = "string" | "number" | "boolean" | "object" | "array";

function mergeStrings(into: Strings, other: Strings): void {
  into.count += other.count;
  into.empty += other.empty;
  if (other.count > other.empty) {
    for (const name of into.notations) if (!other.notations.has(name)) into.notations.delete(name);
  }
  if (other.texts === undefined) into.texts = undefined;
  for (const [text, count] of other.texts ?? []) into.texts?.set(text, (into.texts.get(text) ?? 0) + count);
  if ((into.texts?.size ?? 0) > MAX_TEXTS) into.texts = undefined;
}

function mergeNumbers(into: Numbers, other: Numbers): void {
  into.count += other.count;
  into.zeros += other.zeros;
  into.hasFractions ||= other.hasFractions;
  for (const value of [other.least, other.most]) {
    if (value === undefined) continue;
    if (into.least === undefined || value < into.least) into.least = value;
    if (into.most === undefined || value > into.most) into.most = value;
  }
}

function isInt64(value: bigint): boolean {
  return value >= -(2n ** 63n) && value < 2n ** 63n;
}
