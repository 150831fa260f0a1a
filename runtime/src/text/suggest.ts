import { distance as editDistance } from "fastest-levenshtein";

/**
 * Returns the candidate nearest to a misspelt word, ignoring case. Returns undefined if the word differs from
 * every candidate in more than a third of its characters.
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

/** Returns ` Did you mean "x"?`, or an empty string if no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = suggest(word, candidates);
  return found === undefined ? "" : ` Did you mean "${found}"?`;
}
