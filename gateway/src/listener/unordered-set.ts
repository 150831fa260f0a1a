/** What can be in an unordered set: it remembers its place, -1 while it is in none. */
export interface Placed {
  // biome-ignore lint/plugin: changes as others leave the set
  place: number;
}

/**
 * Things that come and go quickly, in no order. A Map or a Set grows by making a new table, and the old one,
 * once it has grown old itself, keeps all that ever were in a later one until
 * the next collection of everything.
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

  /** Those that are there now; they may leave meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.things].values();
  }
}
