/** A member of an unordered set. It remembers its index, which is -1 outside of a set. */
export interface Placed {
  // biome-ignore lint/plugin: changes as others leave the set
  place: number;
}

/**
 * An unordered set for members that come and go quickly. A Map or Set grows by allocating a new table. Once
 * the old table is promoted, it retains every later member until the next full garbage collection.
 */
export class UnorderedSet<T extends Placed> implements Iterable<T> {
  private readonly things: T[] = [];

  add(thing: T): void {
    thing.place = this.things.length;
    this.things.push(thing);
  }

  /** Safe to call twice. */
  remove(thing: T): void {
    const { place } = thing;
    if (place < 0) return;
    thing.place = -1;
    const last = this.things.pop();
    if (last === undefined || last === thing) return;
    last.place = place;
    this.things[place] = last;
  }

  /** Iterates over the current members, which may leave during the iteration. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.things].values();
  }
}
