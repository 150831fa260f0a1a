import { departureOf, objectIn } from "../json/departure.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import type { Field } from "./difference-writer.ts";
import { ScalarWriter } from "./scalar-writer.ts";

const DEFAULT_MAX_DEPTH = 100;

/** Thrown for a response that is nested deeper than `maxDepth`. */
export class JsonTooDeep extends Error {
  readonly path: string;

  constructor(path: string, maxDepth: number) {
    super(`more than ${maxDepth} levels at ${path}`);
    this.name = "JsonTooDeep";
    this.path = path;
  }
}

/** Thrown for a payload that cannot have its declared type, so that no part of it can be read. */
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

/** A writer that converts values to the expected object or list, and tracks the nesting depth. */
export class ShapeWriter extends ScalarWriter {
  protected depth = 0;
  private readonly maxDepth: number;
  private emptyDeclared = false;

  /**
   * @param maxDepth the maximum number of nested messages, including the root; 100 by default, the limit of
   *   protobuf-es
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

  /** Accepts `[]` and `{}` in place of the payload, because the upstream writes an empty payload this way. */
  payloadMayBeEmpty(): void {
    this.emptyDeclared = true;
  }

  /** Enters a nested message. Throws JsonTooDeep. */
  protected enter(): void {
    if (++this.depth >= this.maxDepth) throw new JsonTooDeep(this.pathText(""), this.maxDepth);
  }

  /** Returns the object that a value is or represents. */
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

  /** Returns the items of the tuple that a value is or represents. */
  protected tupleOf(value: Field, key: string): readonly JsonValue[] | undefined {
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return value;
    const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
    if (isEmpty || departureOf(value) === "converted") {
      this.coerce(key, "array", value);
    } else {
      this.drop(key, "array", value);
    }
    return isEmpty ? [] : undefined;
  }

  /** Reports whether a value is the payload itself, not a part of it. */
  private isPayload(key: string): boolean {
    return key === "" && this.path.every((step) => step === "");
  }

  /**
   * Returns the items of the list that a value is or represents.
   *
   * @param ofBooleans whether `false` may be an item; otherwise `false` means that the list is absent
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
