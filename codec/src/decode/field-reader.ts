import { type JsonObject, ownValue } from "../json/json.ts";
import { type Misstep, type OnMisstep, valueAt } from "../json/json-path.ts";
import type { Key } from "../table/message-table.ts";
import type { Field } from "./difference-writer.ts";

/** Reads a value from an object, or from another source. */
export type ReadField<From = JsonObject> = (from: From, found: OnMisstep) => Field;

/**
 * Collects the missteps (non-objects inside a path) while several paths are tried in turn. If a path
 * succeeds, only its missteps are reported; otherwise the missteps of all paths are reported.
 */
export class Attempts {
  private all: Misstep[] = [];
  private from = 0;

  readonly add: OnMisstep = (misstep) => {
    this.all.push(misstep);
  };

  /** Starts another path. */
  next(): void {
    this.from = this.all.length;
  }

  /** Ends the search. `isFound` states whether the last path led to a value. */
  end(isFound: boolean, found: OnMisstep): void {
    const { all, from } = this;
    if (all.length === 0) return;
    this.all = [];
    this.from = 0;
    for (const misstep of isFound ? all.slice(from) : all) found(misstep);
  }
}

/** Returns a function that reads the first key that has a value. */
export function fieldReader(keys: readonly Key[]): ReadField {
  return firstOf(keys.map(keyReader));
}

/** Returns a function that tries several readers until one finds a value. */
export function firstOf<From>([first, ...others]: ReadonlyArray<ReadField<From>>): ReadField<From> {
  if (first === undefined) return () => undefined;
  if (others.length === 0) return first;
  const attempts = new Attempts();
  return (from, found) => {
    let value = first(from, attempts.add);
    for (const read of others) {
      if (value !== undefined && value !== null) break;
      attempts.next();
      const next = read(from, attempts.add);
      // null is the value of some fields, unless another source has a value
      if (next !== undefined) value = next;
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
