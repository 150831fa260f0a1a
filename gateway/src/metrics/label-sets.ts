/** Label sets that one metric may have. */
const maxSets = 1000;

/** Keeps the label sets of a metric few, whatever upstreams send. */
export class LabelSets {
  readonly #known = new Set<string>();

  /** Whether a label set may be told apart: the first thousand different ones are. */
  admits(set: string): boolean {
    if (this.#known.has(set)) return true;
    if (this.#known.size >= maxSets) return false;
    this.#known.add(set);
    return true;
  }
}
