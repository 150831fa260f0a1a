import { distance as editDistance } from "fastest-levenshtein";

/** Returns `; did you mean x?`, or the list of candidates. */
export function suggest(name: string, candidates: readonly string[]): string {
  const hint = didYouMean(name, candidates);
  if (hint !== "") return hint;
  if (candidates.length === 0) return "; it is empty";
  return `; it has ${candidates
    .slice(0, 8)
    .map((candidate) => `\`${candidate}\``)
    .join(", ")}${candidates.length > 8 ? ", …" : ""}`;
}

/** Returns `; did you mean x?`, or an empty string if no candidate is close. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates);
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}

/**
 * Returns the candidate of which a name is probably a misspelling. The two may differ in case and
 * underscores, in one letter, or, if the name is long, in two letters. Names that differ in digits, or of
 * which one is the plural of the other, are considered different.
 */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  const plain = (text: string) => text.replaceAll("_", "").toLowerCase();
  if (candidates.includes(name) || name.length > LONGEST_NAME) return undefined;
  const most = name.length >= 8 ? 2 : 1;
  return candidates.find((candidate) => {
    if (plain(candidate) === plain(name)) return true;
    const isPlural = ["s", "es"].some((end) => candidate === name + end || name === candidate + end);
    const isShort = candidate.length < 4 || name.length < 3;
    if (isPlural || isShort || candidate.length > LONGEST_NAME) return false;
    if (digitsOf(candidate) !== digitsOf(name)) return false;
    return isSwapped(name, candidate) || editDistance(name, candidate) <= most;
  });
}

function digitsOf(name: string): string {
  return name.replaceAll(/\D/g, "");
}

/** Reports whether two names differ only by two swapped adjacent letters. */
function isSwapped(name: string, candidate: string): boolean {
  const index = [...name].findIndex((letter, at) => letter !== candidate[at]);
  const [first = "", second = ""] = name.slice(index, index + 2);
  return `${name.slice(0, index)}${second}${first}${name.slice(index + 2)}` === candidate;
}

/**
 * The maximum length of a compared name. Longer names are not typed by hand, and a comparison takes quadratic
 * time.
 */
const LONGEST_NAME = 100;

/** Returns the candidate that a name probably means; undefined if no candidate is close. */
function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const [best] = candidates
    .filter((candidate) => candidate.length <= LONGEST_NAME)
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}
