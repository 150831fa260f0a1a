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

/** A median, and where the median of further rounds is to be expected. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The median with an interval that has it in 95 of 100 cases, whatever the distribution: two of the sorted
 * values, by the binomial distribution. Below 6 values there is none, and it is all of them.
 */
export function estimate(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b);
  const outside = Math.max(0, rankOf(sorted.length) - 1);
  return {
    median: median(sorted),
    low: sorted[outside] ?? Number.NaN,
    high: sorted[sorted.length - 1 - outside] ?? Number.NaN,
  };
}

/**
 * The largest rank k so that fewer than k of n values lie on one side of the
 * median in at most 2.5 of 100 cases.
 */
function rankOf(n: number): number {
  let below = 0;
  let ways = 1;
  for (let k = 0; k <= n; k++) {
    below += ways / 2 ** n;
    if (below > 0.025) return k;
    ways = (ways * (n - k)) / (k + 1);
  }
  return n;
}

/**
 * Percentiles, the least of each over several rounds: what else runs on the machine only ever adds to a time.
 */
export function quietest(rounds: readonly (readonly number[])[], share: number): number {
  const values = rounds.map((times) =>
    percentile(
      times.toSorted((a, b) => a - b),
      share,
    ),
  );
  return Math.min(...values);
}
