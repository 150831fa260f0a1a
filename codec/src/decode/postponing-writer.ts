import type { JsonValue } from "../json/json.ts";
import { sizeUpTo } from "../json/json-size.ts";
import { FieldWriter } from "./field-writer.ts";
import type { KnownKeys } from "./key-writer.ts";
import type { Hole, Segment } from "./segment.ts";

const UNITS_AT_ONCE = 2_000;
/** How many values a message stands for, whatever is in it. */
const MESSAGE_UNITS = 8;
/** Bytes that are written before others have their turn, whatever number of values they are. */
const BYTES_AT_ONCE = 256 * 1024;

/** Where content was left out: all that a writer knows there. */
interface Place {
  readonly path: ReadonlyArray<string | number>;
  readonly depth: number;
  readonly flattenedDepth: number;
  readonly holderKeys: KnownKeys;
  readonly looseKey: string | undefined;
  readonly looseDepth: number;
}

/** What is to be written later: it yields wherever it may pause. */
type Content = () => Iterable<undefined>;

/**
 * A writer that can leave out what is large, to write it later and in parts, so that no response holds the
 * process while it is decoded. It is asked to by `inParts`; otherwise it writes everything at once.
 */
export class PostponingWriter extends FieldWriter {
  /** What may still be written before others have their turn. */
  private left = Number.POSITIVE_INFINITY;
  private readonly unitsAtOnce: number;
  private readonly contents = new Map<Hole, { readonly place: Place; readonly content: Content }>();

  /**
   * @param maxDepth as `ShapeWriter` has it
   * @param unitsAtOnce how many values are written before others have their turn, about; a value takes up to
   *   a few microseconds. 2,000 by default
   */
  constructor(maxDepth?: number, unitsAtOnce: number = UNITS_AT_ONCE) {
    super(maxDepth);
    this.unitsAtOnce = unitsAtOnce;
  }

  /**
   * Writes a message in parts.
   *
   * @param write writes it, as far as it is not large
   * @throws what `write` throws, or what is thrown where something large before it is written
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

  /** The segments of some content, and what is in their holes. */
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
    // what is wrong in front of it was found just now
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
    // those there are belong to a segment
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
   * Writes so many things, each by `write`, now or later. What one says of the
   * keys below it holds for no other.
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

  /** Whether so many values are to be written later; those that are not are counted. */
  private isTooMuch(count: number): boolean {
    if (count === 0) return false;
    if (this.left < count) return true;
    this.left -= count;
    return false;
  }

  /** Whether values are too large to be written now as JSON. */
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

  /** Counts what has been done. */
  protected spend(units: number): void {
    this.left -= units;
  }

  /** Leaves content to be written later, at this place. */
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
