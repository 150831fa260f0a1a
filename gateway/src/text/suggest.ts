/**
 * The candidate nearest to a misspelt word, ignoring case; undefined when none is near: at most a third of
 * the word may differ.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 200).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` Did you mean "x"?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = suggest(word, candidates);
  return found === undefined ? "" : ` Did you mean "${found}"?`;
}

/** Levenshtein distance: insertions, deletions and substitutions between two words. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, at(previous, j) + 1, at(row, j - 1) + 1));
    }
    previous = row;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
