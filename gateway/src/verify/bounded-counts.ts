/** Counts by name, for a limited number of names. Further names count as one. */
export class BoundedCounts {
  readonly counts = new Map<string, number>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  add(name: string): void {
    const key = this.counts.has(name) || this.counts.size < this.limit ? name : "others";
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}
