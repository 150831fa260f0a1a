/** How many keys are remembered beside those of the newest page. */
const REMEMBERED = 4096;

/** Remembers which items of a feed were seen; the ones seen least recently are forgotten first. */
export class SeenKeys {
  private readonly keys = new Set<string>();

  /** Which of a page's keys were not seen before, as indices; the first one of two equal keys counts. */
  news(page: readonly string[]): number[] {
    const found: number[] = [];
    page.forEach((key, index) => {
      if (!this.keys.has(key)) found.push(index);
      // seen again is seen last: an item that stays in the feed is never news once more
      this.keys.delete(key);
      this.keys.add(key);
    });
    this.forget(Math.max(REMEMBERED, page.length));
    return found;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.keys.size;
  }

  private forget(kept: number): void {
    for (const key of this.keys) {
      if (this.keys.size <= kept) return;
      this.keys.delete(key);
    }
  }
}
