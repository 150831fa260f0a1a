import { type JsonObject, ownValue } from "../json/json.ts";
import { type Misstep, type OnMisstep, valueAt } from "../json/json-path.ts";
import type { Key } from "../table/message-table.ts";
import type { Field } from "./difference-writer.ts";

/** Reads a value of an object, or of something else. */
export type ReadField<From = JsonObject> = (from: From, found: OnMisstep) => Field;

/**
 * Missteps on ways that are tried one after the other. Those on the way to a value count; where no way leads
 * to one, all of them do.
 */
export class Attempts {
  private all: Misstep[] = [];
  private from = 0;

  readonly add: OnMisstep = (misstep) => {
    this.all.push(misstep);
  };

  /** Another way is tried. */
  next(): void {
    this.from = this.all.length;
  }

  /** The last way has led to a value, or there is none. */
  end(isFound: boolean, found: OnMisstep): void {
    const { all, from } = this;
    if (all.length === 0) return;
    this.all = [];
    this.from = 0;
    for (const misstep of isFound ? all.slice(from) : all) found(misstep);
  }
}

/** The function that finds in an object what the first of some keys has that holds something. */
export function fieldReader(keys: readonly Key[]): ReadField {
  return firstOf(keys.map(keyReader));
}

/** The function that tries some others until one finds something. */
export function firstOf<From>([first, ...others]: ReadonlyArray<ReadField<From>>): ReadField<From> {
  if (first === undefined) return () => undefined;
  if (others.length === 0) return first;
  const attempts = new Attempts();
  return (from, found) => {
    let value = first(from, attempts.add);
    for (const read of others) {
      if (value !== undefined && value !== null) break;
      attempts.next();
      value = read(from, attempts.add);
    }
    attempts.end(value !== undefined && value !== null, found);
    return value;
  };
}

function keyReader(key: Key): ReadField {
  if (typeof key !== "string") return (json, found) => valueAt(json, key.path, found);
  // every object inherits some keys, such as `constructor`
  return key in Object.prototype ? (json) => ownValue(json, key) : (json) => json[key];
}
