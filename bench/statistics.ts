/** The value below which a share of the sorted values lies (nearest rank); NaN when there are none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The middle value; the mean of the two middle ones where there are two; NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1], sorted[middle]];
  if (high === undefined) return Number.NaN;
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2;
}

/** Percentiles, the least of each over several rounds: what else runs on the machine only ever adds to a time. */
export function quietest(rounds: readonly (readonly number[])[], share: number): number {
  const values = rounds.map((times) =>
    percentile(
      times.toSorted((a, b) => a - b),
      share,
    ),
  );
  return Math.min(...values);
}
