/** The number of remembered keys in addition to the listed ones. */
const REMEMBERED = 4096;

/** Remembers the keys of seen items, and forgets the least recently seen first. */
export class SeenKeys {
  private readonly keys = new Set<string>();

  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** All remembered keys, least recently seen first. */
  get all(): ReadonlySet<string> {
    return this.keys;
  }

  /** Returns the positions of keys that were not seen before; for equal keys, the first position. */
  unseen(listed: readonly string[]): number[] {
    const found = new Map<string, number>();
    for (const [index, key] of listed.entries()) {
      if (!this.keys.has(key) && !found.has(key)) found.set(key, index);
    }
    return [...found.values()];
  }

  /**
   * Remembers the listed keys.
   *
   * @param listed newest first
   * @param gone keys of items that were found and are no longer listed
   */
  see(listed: readonly string[], gone: Iterable<string> = []): void {
    for (const key of [...gone, ...listed.toReversed()]) {
      // moves a key that is seen again to the end: an item that stays listed is never forgotten
      this.keys.delete(key);
      this.keys.add(key);
    }
    for (const key of this.keys) {
      if (this.keys.size <= REMEMBERED + listed.length) return;
      this.keys.delete(key);
    }
  }
}
