import type { JsonValue } from "../json/json.ts";
import { sizeUpTo } from "../json/json-size.ts";
import { FieldWriter } from "./field-writer.ts";
import type { KnownKeys } from "./key-writer.ts";
import type { Hole, Segment } from "./segment.ts";

const UNITS_AT_ONCE = 2_000;
/** The cost of a message, in values, regardless of its content. */
const MESSAGE_UNITS = 8;
/**
 * The maximum number of bytes written before the writer yields to other work, regardless of the number of
 * values.
 */
const BYTES_AT_ONCE = 256 * 1024;

/** The state of a writer at a position where content is written later. */
interface Place {
  readonly path: ReadonlyArray<string | number>;
  readonly depth: number;
  readonly flattenedDepth: number;
  readonly holderKeys: KnownKeys;
  readonly looseKey: string | undefined;
  readonly looseDepth: number;
}

/** Writes omitted content. Yields where it may pause. */
type Content = () => Iterable<undefined>;

/**
 * A writer that can omit large content and write it later in parts, so that decoding a response never blocks
 * the process. `inParts` enables this mode; otherwise the writer writes everything immediately.
 */
export class PostponingWriter extends FieldWriter {
  /** The remaining budget until the writer yields to other work. */
  private left = Number.POSITIVE_INFINITY;
  private readonly unitsAtOnce: number;
  private readonly contents = new Map<Hole, { readonly place: Place; readonly content: Content }>();

  /**
   * @param maxDepth see `ShapeWriter`
   * @param unitsAtOnce the approximate number of values written before the writer yields to other work; a
   *   value takes up to a few microseconds. 2,000 by default
   */
  constructor(maxDepth?: number, unitsAtOnce: number = UNITS_AT_ONCE) {
    super(maxDepth);
    this.unitsAtOnce = unitsAtOnce;
  }

  /**
   * Writes a message in parts.
   *
   * @param write writes the message, except its large content
   * @throws the error of `write`, or of large content that precedes it
   */
  *inParts(write: () => void): Generator<number, Segment, undefined> {
    const { place } = this;
    try {
      const [segment] = yield* this.filled(() => {
        write();
        return [];
      });
      return segment as Segment;
    } finally {
      this.left = Number.POSITIVE_INFINITY;
      this.contents.clear();
      this.goTo(place);
    }
  }

  /** Writes the segments of some content, then the content of their holes. */
  private *filled(content: Content): Generator<number, readonly Segment[], undefined> {
    const segments: Segment[] = [];
    let failure: { readonly error: unknown } | undefined;
    this.begin();
    try {
      for (const _ of content()) {
        this.left--;
        if (this.left > 0 && this.length < BYTES_AT_ONCE) continue;
        segments.push(this.taken());
        yield this.unitsAtOnce - this.left;
        this.begin();
      }
    } catch (error) {
      failure = { error };
    }
    segments.push(this.taken());
    for (const { holes } of segments) yield* this.fill(holes);
    // errors in earlier content were thrown above
    if (failure !== undefined) throw failure.error;
    return segments;
  }

  private *fill(holes: readonly Hole[]): Generator<number, void, undefined> {
    for (const hole of holes) {
      const what = this.contents.get(hole);
      if (what === undefined) continue;
      this.contents.delete(hole);
      yield this.unitsAtOnce;
      this.goTo(what.place);
      hole.content.push(...(yield* this.filled(what.content)));
    }
  }

  private begin(): void {
    this.clear();
    // the existing holes belong to a segment that is already complete
    this.holes = [];
    this.frames = [];
    this.forgetDifferences();
    this.left = this.unitsAtOnce;
  }

  private taken(): Segment {
    const { holes, frames, differences } = this;
    return { bytes: this.copy(), holes, frames, differences, counts: this.countsSoFar() };
  }

  private get place(): Place {
    const { depth, flattenedDepth, holderKeys, looseKey, looseDepth } = this;
    return { path: [...this.path], depth, flattenedDepth, holderKeys, looseKey, looseDepth };
  }

  private goTo({ path, depth, flattenedDepth, holderKeys, looseKey, looseDepth }: Place): void {
    this.path = [...path];
    this.depth = depth;
    this.flattenedDepth = flattenedDepth;
    this.holderKeys = holderKeys;
    this.looseKey = looseKey;
    this.looseDepth = looseDepth;
  }

  /**
   * Calls `write` for each of `count` items, now or later. Unknown keys inside an item do not affect the
   * other items.
   */
  protected writeEach(count: number, write: (index: number) => void): void {
    if (this.isTooMuch(count)) {
      this.postpone(() => this.eachLater(count, write));
      return;
    }
    const { looseKey, looseDepth } = this;
    for (let index = 0; index < count; index++) {
      write(index);
      this.looseKey = looseKey;
      this.looseDepth = looseDepth;
    }
  }

  private *eachLater(count: number, write: (index: number) => void): Generator<undefined, void, undefined> {
    const { looseKey, looseDepth } = this;
    for (let index = 0; index < count; index++) {
      write(index);
      this.looseKey = looseKey;
      this.looseDepth = looseDepth;
      yield;
    }
  }

  /**
   * Reports whether writing this many values would exceed the budget, so that they must be written later.
   * Otherwise subtracts the values from the budget.
   */
  private isTooMuch(count: number): boolean {
    if (count === 0) return false;
    if (this.left < count) return true;
    this.left -= count;
    return false;
  }

  /** Reports whether values are too large to be written now as raw JSON. */
  protected areLarge(values: Iterable<JsonValue | undefined>): boolean {
    if (this.left === Number.POSITIVE_INFINITY) return false;
    let size = 0;
    for (const value of values) {
      size += sizeUpTo(value, this.left - size);
      if (size > this.left) return true;
    }
    this.left -= size;
    return false;
  }

  /** Subtracts work from the budget. */
  protected spend(units: number): void {
    this.left -= units;
  }

  /** Marks this position as a hole, whose content will be written later. */
  protected postpone(content: Content): void {
    const hole = { at: this.length, isVoid: false, differences: this.differences.length, content: [] };
    this.contents.set(hole, { place: this.place, content });
    this.addHole(hole);
  }

  protected override enter(): void {
    super.enter();
    this.left -= MESSAGE_UNITS;
  }
}
