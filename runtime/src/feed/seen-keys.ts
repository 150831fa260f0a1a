/** How many keys are remembered beside those that are listed. */
const REMEMBERED = 4096;

/** Remembers which items of a feed were seen; the ones seen least recently are forgotten first. */
export class SeenKeys {
  private readonly keys = new Set<string>();

  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** Every key that is remembered, least recently seen first. */
  get all(): ReadonlySet<string> {
    return this.keys;
  }

  /** The positions of keys that were not seen before; of two equal keys that of the first. */
  unseen(listed: readonly string[]): number[] {
    const found = new Map<string, number>();
    for (const [index, key] of listed.entries()) {
      if (!this.keys.has(key) && !found.has(key)) found.set(key, index);
    }
    return [...found.values()];
  }

  /**
   * Remembers what is listed.
   *
   * @param listed newest first
   * @param gone items that were found and are listed no more
   */
  see(listed: readonly string[], gone: Iterable<string> = []): void {
    for (const key of [...gone, ...listed.toReversed()]) {
      // a key that is seen again is the one seen last: an item that stays listed is never forgotten
      this.keys.delete(key);
      this.keys.add(key);
    }
    for (const key of this.keys) {
      if (this.keys.size <= REMEMBERED + listed.length) return;
      this.keys.delete(key);
    }
  }
}
