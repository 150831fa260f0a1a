/** A member of an unordered set. It stores its index in the set, or -1 while it is in no set. */
export interface Placed {
  // biome-ignore lint/plugin: changes as others leave the set
  place: number;
}

/**
 * An unordered set for members that are added and removed quickly. A Map or Set grows by allocating a new
 * table. Once V8 promotes the old table, it retains every later member until the next full garbage
 * collection.
 */
export class UnorderedSet<T extends Placed> implements Iterable<T> {
  private readonly things: T[] = [];

  add(thing: T): void {
    thing.place = this.things.length;
    this.things.push(thing);
  }

  /** Removes a member; may be called twice. */
  remove(thing: T): void {
    const { place } = thing;
    if (place < 0) return;
    thing.place = -1;
    const last = this.things.pop();
    if (last === undefined || last === thing) return;
    last.place = place;
    this.things[place] = last;
  }

  /** Iterates over the current members, which may be removed during the iteration. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.things].values();
  }
}
