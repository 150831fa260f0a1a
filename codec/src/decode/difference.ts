/**
 * What became of a value that was not as its message declares.
 *
 * `additional`: nothing declared is affected: a key that no field names, a number that an open enum does not
 * have and keeps all the same, or a word of an enum that another field or a collector of unknown keys keeps.
 * `converted`: the value was kept, in another type, e.g. a number that came as a string. `lost`: a declared
 * value could not be held.
 */
export type DifferenceClass = "additional" | "converted" | "lost";

/** The classes, from the harmless to the severe. */
export const DIFFERENCE_CLASSES: readonly DifferenceClass[] = ["additional", "converted", "lost"];

/** One place in a response that was not as its message declares. */
export interface Difference {
  /** JSON path from the payload, e.g. `posts[3].blog.theme`. */
  readonly path: string;
  /** What the message declares, e.g. `int64`, `object`, `one of PostType`. */
  readonly expected: string;
  /** What came, as a JSON type, or a short scalar, e.g. `array`, `string "blog"`. */
  readonly got: string;
  readonly class: DifferenceClass;
}

/** How many differences there are, by their class. */
export type DifferenceCounts = Readonly<Record<DifferenceClass, number>>;

/** Differences of a response. */
export interface FoundDifferences {
  /** The first hundred of each class. */
  readonly list: readonly Difference[];
  /** All of them. */
  readonly counts: DifferenceCounts;
}

/** No differences: what nearly every response has. */
export const NO_DIFFERENCES: FoundDifferences = {
  list: [],
  counts: { additional: 0, converted: 0, lost: 0 },
};

/** What is done about a difference: nothing, a report, or a report and an error in place of the response. */
export type DifferenceLevel = "ignore" | "log" | "fail";

/** What is done about each class; what is left out is decided elsewhere. */
export type DifferenceLevels = Readonly<Partial<Record<DifferenceClass, DifferenceLevel | undefined>>>;
