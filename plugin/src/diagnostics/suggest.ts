import { distance as editDistance } from "fastest-levenshtein";

/** `; did you mean x?`, or what there is to choose from. */
export function suggest(name: string, candidates: readonly string[]): string {
  const hint = didYouMean(name, candidates);
  if (hint !== "") return hint;
  if (candidates.length === 0) return "; it is empty";
  return `; it has ${candidates
    .slice(0, 8)
    .map((candidate) => `\`${candidate}\``)
    .join(", ")}${candidates.length > 8 ? ", …" : ""}`;
}

/** `; did you mean x?`, or nothing where no candidate is near. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates);
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}

/** Nobody mistypes longer names, and comparing them takes the square of their length. */
const LONGEST_NAME = 100;

/** The candidate that a name was probably meant to be; undefined where none is near. */
function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const [best] = candidates
    .filter((candidate) => candidate.length <= LONGEST_NAME)
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}
