import type { JsonValue } from "../json/json.ts";
import { isJsonObject, jsonTypeOf } from "../json/json.ts";
import type { Misstep } from "../json/json-path.ts";
import type { KeyTree } from "../table/key-tree.ts";
import { BytesWriter } from "./bytes-writer.ts";
import {
  type Difference,
  type DifferenceClass,
  type DifferenceCounts,
  type FoundDifferences,
  NO_DIFFERENCES,
} from "./difference.ts";
import { MAX_KEPT } from "./segment.ts";

/** A value of a response as generated code reads it: `json.blog_name ?? json.blogName`. */
export type Field = JsonValue | undefined;

const MAX_GOT = 40;
const MAX_STEP = 100;

/** A writer that knows where in the response it stands, and notes what is not as declared. */
export class DifferenceWriter extends BytesWriter {
  /** What was not as declared; at most 100 of each class are kept. */
  differences: Difference[] = [];
  /** Whether a rounded integer was met where it counts. */
  inexact = false;
  /** Whether a number was kept as text, whose notation JSON.parse may have changed. */
  keptNumbers = false;
  protected path: Array<string | number> = [];
  protected exact = false;
  protected looseKey: string | undefined;
  protected looseDepth = 0;
  private textual = false;
  /** The paths of what is no object on the way of another, by the object that they begin in. */
  private missteps: WeakMap<object, Set<string>> | undefined;
  private readonly counts = { additional: 0, converted: 0, lost: 0 };

  /**
   * Empties the writer for another message.
   *
   * @param exact whether the JSON that comes now was parsed exactly: a rounded number is then reported as a
   *   difference, since parsing once more would not help
   * @param textual whether the payload was a form, where everything is text: numbers, booleans and lists of
   *   one that come as text are then as declared
   */
  reset(exact = false, textual = false): void {
    this.clear();
    this.exact = exact;
    this.textual = textual;
    if (this.differences.length > 0) this.forgetDifferences();
    this.inexact = false;
    this.keptNumbers = false;
    this.path = [];
    this.looseKey = undefined;
    this.missteps = undefined;
  }

  /**
   * Says that the next field, under this key, is known to come with other JSON types too: converting it, or
   * the items of its list or the values of its map, is no difference.
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
    this.note("converted", key, expected, value);
  }

  /** Notes a text that was read as something else, unless the payload has nothing but text. */
  coerceText(key: string, expected: string, value: Field): void {
    if (!this.textual) this.note("converted", key, expected, value);
  }

  /** Notes a value that is left out. */
  drop(key: string, expected: string, value: Field): void {
    this.note("lost", key, expected, value);
  }

  /** Notes a key that no field names. */
  additional(key: string, value: Field): void {
    this.note("additional", key, "no such key", value);
  }

  /**
   * Notes the keys of a value that a tree does not have, those of objects below first. Paths lead into a list
   * by a number, or into its first item where an object was expected.
   */
  keysBeyond(tree: KeyTree, value: Field): void {
    if (Array.isArray(value)) {
      const isIndexed = [...tree.keys()].some((step) => /^\d+$/.test(step));
      const items = isIndexed ? value : value.slice(0, 1);
      items.forEach((item, index) => {
        this.keysBeyondAt(index, item, isIndexed ? tree.get(String(index)) : tree);
      });
    } else if (isJsonObject(value)) {
      for (const [key, inner] of tree) {
        if (Object.hasOwn(value, key)) this.keysBeyondAt(key, value[key], inner);
      }
      for (const key of Object.keys(value)) if (!tree.has(key)) this.additional(key, value[key]);
    }
  }

  protected keysBeyondAt(step: string | number, value: Field, tree: KeyTree | "all" | undefined): void {
    if (tree === "all") return;
    this.path.push(step);
    if (tree === undefined) {
      this.additional("", value);
    } else {
      this.keysBeyond(tree, value);
    }
    this.path.pop();
  }

  /** Notes what is no object on the way of a path, once for all whose paths lead over it. */
  readonly misstep = ({ root, path, value, class: as }: Misstep): void => {
    this.missteps ??= new WeakMap();
    const start = typeof root === "object" && root !== null ? root : this;
    const paths = this.missteps.get(start) ?? new Set();
    if (paths.has(path)) return;
    this.missteps.set(start, paths.add(path));
    this.note(as, path, "object", value);
  };

  /** How many values were left out so far. */
  protected get lostCount(): number {
    return this.counts.lost;
  }

  /** How many values were converted so far. */
  protected get convertedCount(): number {
    return this.counts.converted;
  }

  /**
   * Notes that an item of a list or an entry of a map is missing: unlike a field, which is as good as unset
   * then, it takes its place with it.
   *
   * @param lostBefore how many values were left out in front of it: where it was noted itself,
   * nothing is added
   * @param convertedBefore how many were converted: where it was noted so, which it is not,
   * that is taken back
   */
  protected leftOut(
    lostBefore: number,
    convertedBefore: number,
    key: string,
    expected: string,
    value: Field,
  ): void {
    const { counts } = this;
    if (counts.lost > lostBefore) return;
    if (counts.converted > convertedBefore) {
      if (counts.converted <= MAX_KEPT) this.differences.pop();
      counts.converted--;
    }
    this.drop(key, expected, value);
  }

  protected dropped(key: string, expected: string, value: Field): undefined {
    this.note("lost", key, expected, value);
    return undefined;
  }

  /** Asks for the response to be parsed exactly, since this has a rounded number; left out where it was. */
  rounded(key: string, expected: string, value: Field): undefined {
    this.inexact = true;
    if (this.exact) this.note("lost", key, expected, value);
    return undefined;
  }

  /** What was not as declared since the writer was emptied. */
  found(): FoundDifferences {
    const { differences: list, counts } = this;
    return list.length === 0 ? NO_DIFFERENCES : { list, counts: { ...counts } };
  }

  /** Notes a value that nothing declared is affected by. */
  protected add(key: string, expected: string, value: Field): void {
    this.note("additional", key, expected, value);
  }

  private note(as: DifferenceClass, key: string, expected: string, value: Field): void {
    if (as === "converted" && this.isLoose(key)) return;
    if (++this.counts[as] > MAX_KEPT) return;
    this.differences.push({ path: this.pathText(key), expected, got: describe(value), class: as });
  }

  protected countsSoFar(): DifferenceCounts {
    return { ...this.counts };
  }

  protected forgetDifferences(): void {
    this.differences = [];
    this.counts.additional = 0;
    this.counts.converted = 0;
    this.counts.lost = 0;
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
  const type = value === undefined ? "nothing" : jsonTypeOf(value);
  if (type !== "string" && type !== "number" && type !== "boolean") return type;
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, MAX_GOT + 1)) : String(value);
  return `${type} ${cut(text, MAX_GOT)}`;
}

/** What came can be of any length: a report shows its beginning, and never half a character. */
function cut(text: string, length: number): string {
  return (text.length > length ? `${text.slice(0, length)}…` : text).toWellFormed();
}
