import type { JsonValue } from "../json/json.ts";
import { jsonTypeOf } from "../json/json.ts";
import { BytesWriter } from "./bytes-writer.ts";
import type { Drift } from "./drift.ts";

/** A value of a response as generated code reads it: `json.blog_name ?? json.blogName`. */
export type Field = JsonValue | undefined;

const MAX_DRIFTS = 100;
const MAX_GOT = 40;
const MAX_STEP = 100;

/** A writer that knows where in the response it stands, and notes what is not as declared. */
export class DriftWriter extends BytesWriter {
  /** What was not as declared; at most 100 are kept. */
  drifts: Drift[] = [];
  /** Whether a rounded integer was met where it counts. */
  inexact = false;
  protected path: Array<string | number> = [];
  private exact = false;
  private looseKey: string | undefined;
  private looseDepth = 0;
  private textual = false;

  /**
   * Empties the writer for another message.
   *
   * @param exact whether the JSON that comes now was parsed exactly: a rounded number is then reported as drift,
   *   since parsing once more would not help
   * @param textual whether the payload was a form, where everything is text: numbers, booleans and lists of one
   *   that come as text are then as declared
   */
  reset(exact = false, textual = false): void {
    this.clear();
    this.exact = exact;
    this.textual = textual;
    this.drifts = [];
    this.inexact = false;
    this.path = [];
    this.looseKey = undefined;
  }

  /**
   * Says that the next field, under this key, is known to come with other JSON types too: converting it, or the
   * items of its list or the values of its map, is no drift.
   */
  loosely(key: string): this {
    this.looseKey = key;
    this.looseDepth = this.path.length;
    return this;
  }

  /** The next field is as strict as others. */
  protected strictly(): void {
    this.looseKey = undefined;
  }

  protected isLoose(key: string): boolean {
    if (this.looseKey === undefined || this.path.length < this.looseDepth) return false;
    if (this.path.length === this.looseDepth) return key === this.looseKey;
    const below = this.path.slice(this.looseDepth + 1);
    return (
      key === "" &&
      this.path[this.looseDepth] === this.looseKey &&
      below.every((step) => typeof step === "number")
    );
  }

  /** Notes a value that was understood although it is not as declared. */
  coerce(key: string, expected: string, value: Field): void {
    this.note("coerced", key, expected, value);
  }

  /** Notes a text that was read as something else, unless the payload has nothing but text. */
  protected coerceText(key: string, expected: string, value: Field): void {
    if (!this.textual) this.note("coerced", key, expected, value);
  }

  /** Notes a value that is left out. */
  drop(key: string, expected: string, value: Field): void {
    this.note("dropped", key, expected, value);
  }

  /** Notes a key that no field names. */
  additional(key: string, value: Field): void {
    this.note("unknown", key, "no such key", value);
  }

  protected dropped(key: string, expected: string, value: Field): undefined {
    this.note("dropped", key, expected, value);
    return undefined;
  }

  /** Asks for the response to be parsed exactly, since this has a rounded number; left out where it was. */
  rounded(key: string, expected: string, value: Field): undefined {
    this.inexact = true;
    if (this.exact) this.note("dropped", key, expected, value);
    return undefined;
  }

  protected note(kind: Drift["kind"], key: string, expected: string, value: Field): void {
    if (this.drifts.length >= MAX_DRIFTS || (kind === "coerced" && this.isLoose(key))) return;
    this.drifts.push({ path: this.pathText(key), expected, got: describe(value), kind });
  }

  protected pathText(key: string): string {
    let text = "";
    for (const step of key === "" ? this.path : [...this.path, key]) {
      if (typeof step === "number") {
        text += `[${step}]`;
      } else if (step !== "") text += text === "" ? cut(step, MAX_STEP) : `.${cut(step, MAX_STEP)}`;
    }
    return text === "" ? "(root)" : text;
  }
}

function describe(value: Field): string {
  const type = jsonTypeOf(value);
  if (type !== "string" && type !== "number" && type !== "boolean") return type;
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, MAX_GOT + 1)) : String(value);
  return `${type} ${cut(text, MAX_GOT)}`;
}

/** What came can be of any length: a report shows its beginning, and never half a character. */
function cut(text: string, length: number): string {
  return (text.length > length ? `${text.slice(0, length)}…` : text).toWellFormed();
}
