import type { JsonObject } from "../json/json.ts";
import type { KeyTree } from "../table/key-tree.ts";
import type { OneofMembers } from "../table/keys.ts";
import type { Field } from "./difference-writer.ts";

/**
 * Writes the value of a field. Reports name the field by `key`; `json` is the object that contains the value.
 */
export type WriteField<Out> = (value: Field, out: Out, key: string, json: JsonObject) => void;

/**
 * A field: the function that writes its value, and its keys in the order in which they are tried. Reports
 * name the first key.
 */
export type FieldRow<Out> = readonly [write: WriteField<Out>, ...keys: string[]];

/** A part of an object that a decoder reads. */
export type LayoutEntry<Out> =
  | FieldRow<Out>
  /** A oneof whose members have separate keys: the first present member is kept. */
  | { readonly onlyFirst: OneofMembers; readonly of: ReadonlyArray<FieldRow<Out>> }
  /**
   * A oneof whose member the object selects. `choose` is called for each object, and reads the keys it needs.
   */
  | { choose(json: JsonObject, out: Out): void }
  /** Keys that only a `choose` function reads. */
  | { readonly known: readonly string[] };

/** A field that reads a key. */
export class Target {
  /** The position of the field in the order of writing. */
  readonly rank: number;
  /** The next field that reads the same key. */
  readonly next: Target | undefined;

  constructor(rank: number, next: Target | undefined) {
    this.rank = rank;
    this.next = next;
  }
}

/** The lookup tables of the writer for an object. */
export interface FieldLayout<Out> {
  readonly targets: ReadonlyMap<string, Target>;
  /** The write functions of the fields, in the order of writing. */
  readonly writes: ReadonlyArray<WriteField<Out>>;
  /** For each rank, the key that is named in reports. */
  readonly names: readonly string[];
  /** For each rank, the keys in the order in which they are tried. */
  readonly keys: ReadonlyArray<readonly string[]>;
  /** The fields that are written even if none of their keys is present: a bit for each rank, 32 per word. */
  readonly always: readonly number[];
}

/** The methods of the writer that the table calls. */
interface OneofOutput {
  beginOneof(): void;
  endOneof(json: JsonObject, members: OneofMembers): void;
}

/**
 * The fields of a message, indexed by the keys that they are read from, so that decoding looks up only the
 * keys that are present. The table is also the set of these keys.
 */
export class FieldTableOf<Out extends OneofOutput> {
  /** The keys that fields read inside the values of other keys, through paths. */
  readonly below: KeyTree | undefined;
  private readonly entries: () => ReadonlyArray<LayoutEntry<Out>>;
  private made: FieldLayout<Out> | undefined;

  /** @param entries returns all entries, in the order of writing; called when the first object arrives */
  constructor(entries: () => ReadonlyArray<LayoutEntry<Out>>, below?: KeyTree) {
    this.entries = entries;
    this.below = below;
  }

  get layout(): FieldLayout<Out> {
    this.made ??= new LayoutMaker(this.entries()).layout;
    return this.made;
  }

  has(key: string): boolean {
    return this.layout.targets.has(key);
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.layout.targets.keys();
  }
}

class LayoutMaker<Out extends OneofOutput> {
  readonly layout: FieldLayout<Out>;
  private readonly targets = new Map<string, Target>();
  private readonly writes: Array<WriteField<Out>> = [];
  private readonly names: string[] = [];
  private readonly keys: Array<readonly string[]> = [];
  private readonly always: number[] = [];

  constructor(entries: ReadonlyArray<LayoutEntry<Out>>) {
    for (const entry of entries) this.add(entry);
    const { targets, writes, names, keys, always } = this;
    this.layout = { targets, writes, names, keys, always };
  }

  private add(entry: LayoutEntry<Out>): void {
    if ("choose" in entry) {
      const rank = this.row((_, out, _key, json) => entry.choose(json, out));
      const word = rank >>> 5;
      this.always[word] = (this.always[word] ?? 0) | (1 << (rank & 31));
    } else if ("known" in entry) {
      this.ask(
        this.row(() => {}),
        entry.known,
      );
    } else if ("onlyFirst" in entry) {
      const begin = this.row((_, out) => out.beginOneof());
      for (const row of entry.of) this.field(row);
      const end = this.row((_, out, _key, json) => out.endOneof(json, entry.onlyFirst));
      const keys = entry.of.flatMap(([, ...own]) => own);
      this.ask(begin, keys);
      this.ask(end, keys);
    } else {
      this.field(entry);
    }
  }

  private field([write, ...keys]: FieldRow<Out>): void {
    this.ask(this.row(write, keys), keys);
  }

  /**
   * @param tried the keys of the field, of which the first with a value counts; empty if the order does not
   *   matter
   */
  private row(write: WriteField<Out>, tried: readonly string[] = []): number {
    const rank = this.writes.push(write) - 1;
    this.keys.push(tried);
    this.names.push(tried[0] ?? "");
    if (rank >>> 5 === this.always.length) this.always.push(0);
    return rank;
  }

  private ask(rank: number, keys: readonly string[]): void {
    for (const key of keys) this.targets.set(key, new Target(rank, this.targets.get(key)));
  }
}
