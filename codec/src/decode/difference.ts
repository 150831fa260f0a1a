/**
 * The effect of a value that differs from its declaration.
 *
 * `additional`: no declared value is affected. Examples: a key that no field reads, an unknown number that an
 * open enum keeps, an unknown enum name that another field or a collector of unknown keys keeps. `converted`:
 * the value was kept with another type, for example a number that arrived as a string. `lost`: a declared
 * value could not be kept.
 */
export type DifferenceClass = "additional" | "converted" | "lost";

/** The classes, from harmless to severe. */
export const DIFFERENCE_CLASSES: readonly DifferenceClass[] = ["additional", "converted", "lost"];

/** A difference between a response and the declared message. */
export interface Difference {
  /** The JSON path from the payload, e.g. `posts[3].blog.theme`. */
  readonly path: string;
  /** The declared type, e.g. `int64`, `object`, `one of PostType`. */
  readonly expected: string;
  /** The received JSON type, or a short scalar, e.g. `array`, `string "blog"`. */
  readonly got: string;
  readonly class: DifferenceClass;
}

/** The number of differences of each class. */
export type DifferenceCounts = Readonly<Record<DifferenceClass, number>>;

/** The differences of a response. */
export interface FoundDifferences {
  /** The first hundred differences of each class. */
  readonly list: readonly Difference[];
  /** The counts of all differences. */
  readonly counts: DifferenceCounts;
}

/** The result for a response without differences. */
export const NO_DIFFERENCES: FoundDifferences = {
  list: [],
  counts: { additional: 0, converted: 0, lost: 0 },
};

/** The reaction to a difference: none, a report, or a report and an error that replaces the response. */
export type DifferenceLevel = "ignore" | "log" | "fail";

/** The reaction to each class; the default applies to an omitted class. */
export type DifferenceLevels = Readonly<Partial<Record<DifferenceClass, DifferenceLevel | undefined>>>;
