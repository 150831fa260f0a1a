import { departureOf, objectIn } from "../json/departure.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import type { Field } from "./difference-writer.ts";
import { ScalarWriter } from "./scalar-writer.ts";

const DEFAULT_MAX_DEPTH = 100;

/** Thrown where a response is nested deeper than `maxDepth`. */
export class JsonTooDeep extends Error {
  readonly path: string;

  constructor(path: string, maxDepth: number) {
    super(`more than ${maxDepth} levels at ${path}`);
    this.name = "JsonTooDeep";
    this.path = path;
  }
}

/** Thrown where a payload cannot be what it should be, so that nothing of it can be read. */
export class WrongShape extends Error {
  readonly expected: "object" | "array";
  readonly got: JsonValue;

  constructor(expected: "object" | "array", got: JsonValue) {
    super(`expected an ${expected}`);
    this.name = "WrongShape";
    this.expected = expected;
    this.got = got;
  }
}

/**
 * A writer that takes a JSON value for an object or a list where one should be,
 * and knows how deep it is in the message.
 */
export class ShapeWriter extends ScalarWriter {
  protected depth = 0;
  private readonly maxDepth: number;
  private emptyDeclared = false;

  /**
   * @param maxDepth how many messages may be nested, with the root; 100 by default,
   * which is what protobuf-es reads
   */
  constructor(maxDepth: number = DEFAULT_MAX_DEPTH) {
    super();
    this.maxDepth = maxDepth;
  }

  override reset(exact = false, textual = false): void {
    super.reset(exact, textual);
    this.emptyDeclared = false;
    this.depth = 0;
  }

  /** `[]` and `{}` in place of the payload are how the upstream spells an empty one. */
  payloadMayBeEmpty(): void {
    this.emptyDeclared = true;
  }

  /** Goes one message down. Throws JsonTooDeep. */
  protected enter(): void {
    if (++this.depth >= this.maxDepth) throw new JsonTooDeep(this.pathText(""), this.maxDepth);
  }

  /** The object that a value is or stands for. */
  protected objectOf(value: Field, key: string): JsonObject | undefined {
    if (isJsonObject(value)) return value;
    if (value === undefined || value === null) return undefined;
    const isNone = Array.isArray(value) && value.length === 0;
    const isPayload = this.isPayload(key);
    if (isPayload && !isNone) throw new WrongShape("object", value);
    if (departureOf(value) === "lost") {
      this.drop(key, "object", value);
    } else if (!isPayload || !this.emptyDeclared) {
      this.coerce(key, "object", value);
    }
    return isNone ? {} : objectIn(value);
  }

  /** Whether a value stands where the payload is, and not in it. */
  private isPayload(key: string): boolean {
    return key === "" && this.path.every((step) => step === "");
  }

  /**
   * The items of the list that a value is or stands for.
   *
   * @param ofBooleans whether `false` may be an item, and not only a spelling of no list
   */
  protected itemsOf(value: JsonValue, key: string, ofBooleans = false): readonly JsonValue[] {
    if (Array.isArray(value)) return value;
    const isNone = isJsonObject(value) && Object.keys(value).length === 0;
    if (this.isPayload(key)) {
      if (!isNone) throw new WrongShape("array", value);
      if (!this.emptyDeclared) this.coerce(key, "array", value);
      return [];
    }
    if (isJsonObject(value)) {
      this.coerce(key, "array", value);
      return isNone ? [] : [value];
    }
    if ((value === false && !ofBooleans) || value === "") {
      this.coerce(key, "array", value);
      return [];
    }
    if (typeof value === "string") {
      this.coerceText(key, "array", value);
    } else {
      this.coerce(key, "array", value);
    }
    return [value];
  }
}
