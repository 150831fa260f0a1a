/** The maximum number of remembered keys that are no longer listed. */
const REMEMBERED = 4096;

/** Remembers the keys of seen items. The least recently seen keys are forgotten first. */
export class SeenKeys {
  private readonly keys = new Set<string>();

  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** All remembered keys, least recently seen first. */
  get all(): ReadonlySet<string> {
    return this.keys;
  }

  /**
   * Returns the indexes of keys that were not seen before. If keys repeat, only the first index is returned.
   */
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
   * @param listed the listed keys, newest first
   * @param gone the keys of items that were found and are no longer listed
   */
  see(listed: readonly string[], gone: Iterable<string> = []): void {
    for (const key of [...gone, ...listed.toReversed()]) {
      // moves a key that is seen again to the end, so an item that stays listed is never forgotten
      this.keys.delete(key);
      this.keys.add(key);
    }
    for (const key of this.keys) {
      if (this.keys.size <= REMEMBERED + listed.length) return;
      this.keys.delete(key);
    }
  }
}
