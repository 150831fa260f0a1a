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

/**
 * The candidate that a name misspells: it differs in case and underscores, in one letter, or in two letters of
 * a long name. Names that differ in digits or in a plural are different names.
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

/** Whether two adjacent letters changed places. */
function isSwapped(name: string, candidate: string): boolean {
  const index = [...name].findIndex((letter, at) => letter !== candidate[at]);
  const [first = "", second = ""] = name.slice(index, index + 2);
  return `${name.slice(0, index)}${second}${first}${name.slice(index + 2)}` === candidate;
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
