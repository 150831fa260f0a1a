import type { JsonValue } from "../json/json.ts";
import { isJsonObject, jsonTypeOf } from "../json/json.ts";
import type { Misstep } from "../json/json-path.ts";
import { joinedPath, stepText } from "../json/path-text.ts";
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

/** A writer that tracks its position in the response and records differences from the declaration. */
export class DifferenceWriter extends BytesWriter {
  /** The differences found; at most `maxKept` of each class are kept. */
  differences: Difference[] = [];
  /** The number of differences of each class to keep. */
  maxKept: number = MAX_KEPT;
  /** Called for each value of a body that no field declares, also if a field collects unknown keys. */
  onUndeclared: ((holder: object, key: string | number) => void) | undefined;
  /** Whether an integer was rounded where its exact value matters. */
  inexact = false;
  /** Whether a number was kept as raw JSON. JSON.parse may have changed its notation. */
  keptNumbers = false;
  /** The steps to the current position; a key is the text of a step. */
  protected path: Array<string | number> = [];
  protected exact = false;
  protected looseKey: string | undefined;
  protected looseDepth = 0;
  private textual = false;
  /**
   * The paths that were blocked by a non-object, grouped by the object in which the path begins. Each is
   * reported once.
   */
  private missteps: WeakMap<object, Set<string>> | undefined;
  private readonly counts = { additional: 0, converted: 0, lost: 0 };

  /**
   * Empties the writer for another message.
   *
   * @param exact whether the next JSON was parsed exactly: a rounded number is then reported as a difference,
   *   since parsing again would not help
   * @param textual whether the payload was a form, in which every value is a string: numbers, booleans and
   *   lists of one item are then valid as strings
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
   * Lets the next field accept other JSON types: converting its value, list items or map values is not
   * reported as a difference. Reports name the field by `key`.
   */
  loosely(key: string): this {
    this.looseKey = key;
    this.looseDepth = this.path.length;
    return this;
  }

  /** Ends the effect of `loosely`. */
  strictly(): void {
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

  /** Records a value that was converted from another type than the declared one. */
  coerce(key: string, expected: string, value: Field): void {
    this.note("converted", key, expected, value);
  }

  /** Records a string that was read as another type, unless the payload consists of strings only. */
  coerceText(key: string, expected: string, value: Field): void {
    if (!this.textual) this.note("converted", key, expected, value);
  }

  /** Records a value that was dropped. */
  drop(key: string, expected: string, value: Field): void {
    this.note("lost", key, expected, value);
  }

  /** Records a key that no field reads. */
  additional(key: string, value: Field): void {
    this.note("additional", key, "no such key", value);
  }

  /**
   * Records the keys of `value` that `tree` does not contain, the keys of nested objects first. If the tree
   * has no index for a list, the list represents its first item.
   */
  keysBeyond(tree: KeyTree, value: Field): void {
    if (Array.isArray(value)) {
      const isIndexed = [...tree.keys()].some((step) => /^\d+$/.test(step));
      const items = isIndexed ? value : value.slice(0, 1);
      items.forEach((item, index) => {
        if (isIndexed && !tree.has(String(index))) this.onUndeclared?.(value, index);
        this.keysBeyondAt(index, item, isIndexed ? tree.get(String(index)) : tree);
      });
    } else if (isJsonObject(value)) {
      for (const [key, inner] of tree) {
        if (Object.hasOwn(value, key)) this.keysBeyondAt(stepText(key), value[key], inner);
      }
      for (const key of Object.keys(value)) {
        if (tree.has(key)) continue;
        this.onUndeclared?.(value, key);
        this.additional(stepText(key), value[key]);
      }
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

  /** Records a non-object inside a path, once for all paths that lead through it. */
  readonly misstep = ({ root, path, value, class: as }: Misstep): void => {
    this.missteps ??= new WeakMap();
    const start = typeof root === "object" && root !== null ? root : this;
    const paths = this.missteps.get(start) ?? new Set();
    if (paths.has(path)) return;
    this.missteps.set(start, paths.add(path));
    this.note(as, path, "object", value);
  };

  /** The number of values lost so far. */
  protected get lostCount(): number {
    return this.counts.lost;
  }

  /** The number of values converted so far. */
  protected get convertedCount(): number {
    return this.counts.converted;
  }

  /**
   * Records that a list item or map entry is missing. A lost field counts as unset, but a missing item or
   * entry leaves no trace.
   *
   * @param lostBefore the number of values lost before the item: nothing is added if the item itself was
   *   recorded as lost
   * @param convertedBefore the number of values converted before the item: if the item was recorded as
   *   converted, that record is removed
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
      if (counts.converted <= this.maxKept) this.differences.pop();
      counts.converted--;
    }
    this.drop(key, expected, value);
  }

  protected dropped(key: string, expected: string, value: Field): undefined {
    this.note("lost", key, expected, value);
    return undefined;
  }

  /**
   * Requests an exact parse of the response because of a rounded number. After an exact parse, records the
   * number as lost.
   */
  rounded(key: string, expected: string, value: Field): undefined {
    this.inexact = true;
    if (this.exact) this.note("lost", key, expected, value);
    return undefined;
  }

  /** Whether there are differences since the writer was emptied. */
  get hasDifferences(): boolean {
    return this.differences.length > 0;
  }

  /** Returns the differences since the writer was emptied. */
  found(): FoundDifferences {
    const { differences: list, counts } = this;
    return list.length === 0 ? NO_DIFFERENCES : { list, counts: { ...counts } };
  }

  /** Records a value that does not affect any declared value. */
  protected add(key: string, expected: string, value: Field): void {
    this.note("additional", key, expected, value);
  }

  private note(as: DifferenceClass, key: string, expected: string, value: Field): void {
    if (as === "converted" && this.isLoose(key)) return;
    if (++this.counts[as] > this.maxKept) return;
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
    for (const step of this.path) text = joinedPath(text, typeof step === "number" ? `[${step}]` : step);
    return joinedPath(text, key) || "(root)";
  }
}

/** Returns the JSON type of a value, and a short scalar. */
export function describe(value: Field): string {
  const type = value === undefined ? "nothing" : jsonTypeOf(value);
  if (type !== "string" && type !== "number" && type !== "boolean") return type;
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, MAX_GOT + 1)) : String(value);
  return `${type} ${cut(text, MAX_GOT)}`;
}

/** Truncates a string for a report without splitting a character. */
function cut(text: string, length: number): string {
  return (text.length > length ? `${text.slice(0, length)}…` : text).toWellFormed();
}
