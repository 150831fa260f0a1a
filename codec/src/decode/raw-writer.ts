import { smallJson } from "../cost/small-json.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import { parseUnchanged } from "../json/parse-json.ts";
import { type RawJson, rawJson, rawJsonInPieces } from "../json/raw-json.ts";
import type { Field } from "./difference-writer.ts";
import type { KnownKeys } from "./key-writer.ts";
import { MapKeys } from "./map-keys.ts";
import { PostponingWriter } from "./postponing-writer.ts";

/** The number of characters that are parsed in the time of one value. */
const CHARACTERS_PER_UNIT = 64;

type Entries = ReadonlyArray<readonly [key: string, value: Field]>;

/** A writer that keeps values as raw JSON. */
export class RawWriter extends PostponingWriter {
  /** Writes a value of any type into a string field as raw JSON. */
  raw(field: number, value: Field, key: string): void {
    if (value === undefined) return;
    if (this.areLarge([value])) {
      this.rawLater(field, value, key);
    } else {
      this.string(field, this.noted(rawJson(value), value, key), key);
    }
  }

  /**
   * Writes a `map<string, string>` that collects unknown keys: every unknown key of the object, with its raw
   * JSON.
   */
  unknown(field: number, json: JsonObject, known: KnownKeys): void {
    const entries = this.collect(json, known);
    if (entries.length === 0) return;
    const keys = new MapKeys("string");
    if (this.areLarge(valuesOf(entries))) {
      this.postpone(() => this.unknownLater(field, entries, keys));
    } else {
      for (const [key, value] of entries) {
        this.entry(field, key, this.noted(rawJson(value ?? null), value, key), keys);
      }
    }
  }

  /**
   * Parses the JSON in a string. Returns undefined if the string is empty, which is reported as converted,
   * and if the string is not JSON or costs too much to parse in one step, which is reported as lost.
   */
  jsonIn(text: string, key: string): Field {
    this.spend(text.length / CHARACTERS_PER_UNIT);
    const json = smallJson(text, parseUnchanged);
    if (json !== undefined) return json;
    if (text.trim() === "") {
      this.coerce(key, "JSON as text", text);
    } else {
      this.drop(key, "JSON as text", text);
    }
    return undefined;
  }

  private *unknownLater(
    field: number,
    entries: Entries,
    keys: MapKeys,
  ): Generator<undefined, void, undefined> {
    for (const [key, value] of entries) {
      this.entry(field, key, yield* this.rawInPieces(value ?? null, key), keys);
      yield;
    }
  }

  private entry(field: number, key: string, raw: string, keys: MapKeys): void {
    if (keys.has(key)) {
      this.drop(key, "a key that comes once", key);
      return;
    }
    keys.add(key);
    this.tag(field, 2);
    const start = this.open(2);
    this.string(1, key, key);
    this.string(2, raw, key);
    this.close(start, 2);
  }

  /** Writes the field without its content, so that the field counts as present. */
  private rawLater(field: number, value: JsonValue, key: string): void {
    const { rawInPieces } = this;
    const content = function* (this: RawWriter) {
      this.utf8Alone(yield* rawInPieces.call(this, value, key));
    };
    this.tag(field, 2);
    const start = this.open(1);
    this.postpone(content.bind(this));
    this.close(start, 1);
  }

  private *rawInPieces(value: JsonValue, key: string): Generator<undefined, string, undefined> {
    const work = rawJsonInPieces(value);
    for (;;) {
      const step = work.next();
      if (step.done === true) return this.noted(step.value, value, key);
      this.spend(step.value);
      yield;
    }
  }

  private noted({ text, rounded, hasNumbers }: RawJson, value: Field, key: string): string {
    if (hasNumbers && !this.exact) this.keptNumbers = true;
    if (rounded) this.rounded(key, "a number that can be kept", value);
    return text;
  }
}

function* valuesOf(entries: Entries): Generator<Field, undefined> {
  for (const [, value] of entries) yield value;
  return undefined;
}
