/** Returns the percentile of sorted values (nearest rank); NaN for an empty list. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/**
 * Returns the median. For an even count, the median is the mean of the two middle values; for an empty list,
 * NaN.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1], sorted[middle]];
  if (high === undefined) return Number.NaN;
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2;
}

/** A median and its confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the median with a 95 % confidence interval, for any distribution. The bounds are two of the sorted
 * values, by the binomial distribution. With fewer than 6 values, the interval spans all of them.
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
 * Returns the rank k of the lower end of the confidence interval: with a probability of at most 2.5 %, fewer
 * than k of n values are below the median.
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
 * Measures a subject and a baseline in turn. Returns the ratio of each round. In a round, two turns of the
 * subject run between two turns of the baseline, so that a steady change of the machine affects both alike.
 */
export async function pairedRatios(
  baseline: () => number | Promise<number>,
  subject: () => number | Promise<number>,
  rounds: number,
): Promise<number[]> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await baseline();
    const measured = (await subject()) + (await subject());
    ratios.push(measured / (before + (await baseline())));
  }
  return ratios;
}

/**
 * Returns percentiles, each of which is the minimum over several rounds, since other load on the machine only
 * adds time.
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
