import type { JsonObject, JsonValue } from "../json/json.ts";
import { stepText } from "../json/path-text.ts";
import { joinedTree, type KeyTree } from "../table/key-tree.ts";
import type { Field } from "./difference-writer.ts";
import { OneofWriter } from "./oneof-writer.ts";

const NOTHING: readonly string[] = [];
const NO_ENTRIES: ReadonlyArray<readonly [string, Field]> = [];

/** The keys that a message reads. */
export interface KnownKeys extends Iterable<string> {
  has(key: string): boolean;
  /** The keys read through paths, by first key; undefined if no key has a path. */
  readonly below?: KeyTree | undefined;
}

const NO_KEYS: KnownKeys = new Set();

/** A writer that reports or collects keys that no field reads, even if several messages share an object. */
export class KeyWriter extends OneofWriter {
  protected flattenedDepth = -1;
  protected holderKeys: KnownKeys = NO_KEYS;
  /** The known keys of the messages that share the object at each depth. */
  private keysBelow: Array<ReadonlyArray<KnownKeys> | undefined> = [];
  /** For each depth, the known keys whose values are also collected with the unknown keys. */
  private collectedValues: Array<Array<readonly [key: string, value: JsonValue]> | undefined> = [];

  /** The object whose unknown keys the last call of `fields` found. */
  private othersOf: JsonObject | undefined;
  private othersBeyond: KnownKeys = NO_KEYS;
  private others: readonly string[] = NOTHING;

  override reset(exact = false, textual = false): void {
    super.reset(exact, textual);
    this.flattenedDepth = -1;
    this.keysBelow = [];
    this.othersOf = undefined;
    this.others = NOTHING;
    if (this.collectedValues.length > 0) this.collectedValues = [];
  }

  /** Marks the keys that the collector of this message takes, so that no outer message reports them. */
  protected collect(json: JsonObject, known: KnownKeys): ReadonlyArray<readonly [string, Field]> {
    const keys = this.collectKeys(json, known);
    const further = this.collectedValues[this.depth];
    if (keys.length === 0 && further === undefined) return NO_ENTRIES;
    this.collectedValues[this.depth] = undefined;
    const entries = keys.map((key) => [key, json[key]] as const);
    const all = further === undefined ? entries : [...entries, ...further];
    if (this.onUndeclared !== undefined) for (const [key] of all) this.onUndeclared(json, key);
    return all;
  }

  private collectKeys(json: JsonObject, known: KnownKeys): readonly string[] {
    if (this.depth !== this.flattenedDepth) return this.unknownOf(json, known);
    const { holderKeys } = this;
    const below = this.keysBelow[this.depth];
    const keys = this.unknownOf(json, known).filter((key) => !holderKeys.has(key));
    // the collector takes these keys, so the outer message must not report them
    this.keysBelow[this.depth] = [...(below ?? []), new Set(keys)];
    this.leaveToHolder(known);
    return keys;
  }

  /** Adds the value of a known key to the collector of this message. */
  protected collectAlso(key: string, value: JsonValue): void {
    const others = this.collectedValues[this.depth];
    if (others === undefined) {
      this.collectedValues[this.depth] = [[key, value]];
    } else {
      others.push([key, value]);
    }
  }

  /**
   * Reports the keys that no field reads, unless the message collects them.
   *
   * @param ofMembers keys that oneof members read when they are selected
   */
  unknownKeys(json: JsonObject, known: KnownKeys, ofMembers: KnownKeys = NO_KEYS): void {
    if (this.depth === this.flattenedDepth) {
      this.leaveToHolder(known);
      return;
    }
    for (const key of this.unknownOf(json, known)) {
      this.onUndeclared?.(json, key);
      if (ofMembers.has(key)) {
        this.notHeld(stepText(key), "no other member of the oneof", json[key]);
      } else {
        this.add(stepText(key), "no such key", json[key]);
      }
    }
  }

  /** Marks all keys of the object as known, so that no outer message that shares the object reports them. */
  allKeys(json: JsonObject): void {
    if (this.depth === this.flattenedDepth) this.leaveToHolder(new Set(Object.keys(json)));
  }

  private leaveToHolder(known: KnownKeys): void {
    const below = this.keysBelow[this.depth] ?? [];
    this.keysBelow[this.depth] = undefined;
    this.keysBelow[this.depth - 1] = [...(this.keysBelow[this.depth - 1] ?? []), ...below, known];
  }

  /** Keeps the unknown keys of an object for the next method that needs them. */
  protected leaveKeys(json: JsonObject, known: KnownKeys, others: readonly string[] = NOTHING): void {
    this.othersOf = json;
    this.othersBeyond = known;
    this.others = others;
  }

  /** Reports the keys inside objects on paths that none of the messages sharing the object reads. */
  private keysOnPaths(json: JsonObject, known: KnownKeys): void {
    const shared = this.keysBelow[this.depth];
    if (known.below === undefined && shared === undefined) return;
    const messages = [known, ...(shared ?? [])];
    const keys = new Set(messages.flatMap(({ below }) => (below === undefined ? [] : [...below.keys()])));
    for (const key of keys) {
      if (!Object.hasOwn(json, key)) continue;
      const readers = messages.filter((each) => each.has(key));
      const tree = joinedTree(readers.map(({ below }) => below?.get(key) ?? "all"));
      this.keysBeyondAt(key, json[key], tree);
    }
  }

  private unknownOf(json: JsonObject, known: KnownKeys): readonly string[] {
    if (this.depth !== this.flattenedDepth) this.keysOnPaths(json, known);
    const isFound = this.othersOf === json && this.othersBeyond === known;
    const others = isFound ? this.others : Object.keys(json).filter((key) => !known.has(key));
    this.othersOf = undefined;
    const below = this.keysBelow[this.depth];
    if (below === undefined) return others;
    this.keysBelow[this.depth] = undefined;
    return others.filter((key) => !below.some((keys) => keys.has(key)));
  }
}
