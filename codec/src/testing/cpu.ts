/** Returns the processor time that `work` takes, in microseconds. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Returns how many times as long `work` takes as `baseline`, in processor time. Both run in turn, `rounds`
 * times, and the fastest run of each counts, so that other processes of the machine do not change the ratio.
 */
export function costRatio(work: () => unknown, baseline: () => unknown, rounds = 5): number {
  let most = Number.POSITIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    least = Math.min(least, cpuOf(baseline));
    most = Math.min(most, cpuOf(work));
  }
  return most / Math.max(least, 1);
}
