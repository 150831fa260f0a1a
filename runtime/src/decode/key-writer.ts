import type { JsonObject, JsonValue } from "../json/json.ts";
import type { Field } from "./difference-writer.ts";
import { OneofWriter } from "./oneof-writer.ts";

const NOTHING: readonly string[] = [];
const NO_ENTRIES: ReadonlyArray<readonly [string, Field]> = [];
const NO_KEYS: ReadonlySet<string> = new Set();

/** A writer that notes or collects the keys that no field names, also of messages whose keys stand in an object of another. */
export class KeyWriter extends OneofWriter {
  protected flattenedDepth = -1;
  protected holderKeys: ReadonlySet<string> = NO_KEYS;
  /** For each depth, the keys known to messages that were flattened into the object there. */
  private keysBelow: Array<ReadonlyArray<ReadonlySet<string>> | undefined> = [];
  /** For each depth, values of known keys that the collector of the message there takes. */
  private collectedValues: Array<Array<readonly [key: string, value: JsonValue]> | undefined> = [];

  override reset(exact = false, textual = false, emptyDeclared = false): void {
    super.reset(exact, textual, emptyDeclared);
    this.flattenedDepth = -1;
    this.keysBelow = [];
    if (this.collectedValues.length > 0) this.collectedValues = [];
  }

  /** What the collector of this message takes, so that no holder reports it. */
  protected collect(json: JsonObject, known: ReadonlySet<string>): ReadonlyArray<readonly [string, Field]> {
    const keys = this.collectKeys(json, known);
    const further = this.collectedValues[this.depth];
    if (keys.length === 0 && further === undefined) return NO_ENTRIES;
    this.collectedValues[this.depth] = undefined;
    const entries = keys.map((key) => [key, json[key]] as const);
    return further === undefined ? entries : [...entries, ...further];
  }

  private collectKeys(json: JsonObject, known: ReadonlySet<string>): readonly string[] {
    if (this.depth !== this.flattenedDepth) return this.unknownOf(json, known);
    const { holderKeys } = this;
    const keys = this.unknownOf(json, known).filter((key) => !holderKeys.has(key));
    this.leaveToHolder(new Set([...known, ...keys]));
    return keys;
  }

  /** Gives the collector of this message a value of a known key, too. */
  protected collectAlso(key: string, value: JsonValue): void {
    const others = this.collectedValues[this.depth];
    if (others === undefined) {
      this.collectedValues[this.depth] = [[key, value]];
    } else {
      others.push([key, value]);
    }
  }

  /** Notes the keys that no field names, where a message does not collect them. */
  unknownKeys(json: JsonObject, known: ReadonlySet<string>): void {
    if (this.depth === this.flattenedDepth) {
      this.leaveToHolder(known);
      return;
    }
    for (const key of this.unknownOf(json, known)) this.add(key, "no such key", json[key]);
  }

  /** Says that a message holds all keys of its object, so that no holder that it is flattened into reports any. */
  allKeys(json: JsonObject): void {
    if (this.depth === this.flattenedDepth) this.leaveToHolder(new Set(Object.keys(json)));
  }

  private leaveToHolder(known: ReadonlySet<string>): void {
    const below = this.keysBelow[this.depth] ?? [];
    this.keysBelow[this.depth] = undefined;
    this.keysBelow[this.depth - 1] = [...(this.keysBelow[this.depth - 1] ?? []), ...below, known];
  }

  private unknownOf(json: JsonObject, known: ReadonlySet<string>): readonly string[] {
    const below = this.keysBelow[this.depth];
    let unknown: string[] | undefined;
    // not `for in`, which looks for each key once more in an object of a hundred thousand
    for (const key of Object.keys(json)) {
      if (known.has(key) || below?.some((keys) => keys.has(key)) === true) continue;
      unknown ??= [];
      unknown.push(key);
    }
    if (below !== undefined) this.keysBelow[this.depth] = undefined;
    return unknown ?? NOTHING;
  }
}
