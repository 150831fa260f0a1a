import { rawJSON } from "./raw.ts";
import { isRoundedFraction } from "./rounded-fractions.ts";

/**
 * A JSON number whose notation JSON.parse would change: `1.10`, `1e3`, or a number with more digits than a
 * double holds. JSON.stringify writes the original notation. Documents that were not parsed verbatim contain
 * only fractions whose nearest double is an integer.
 */
export class NumberText {
  /** The original notation. */
  readonly source: string;
  /** The nearest double; a bigint for an integer beyond 2^53. */
  readonly value: number | bigint;

  constructor(source: string, value: number | bigint) {
    this.source = source;
    this.value = value;
  }

  /** The value; the original notation if the number is a fraction whose nearest double is an integer. */
  get exact(): number | bigint | string {
    return isRoundedFraction(this.source) ? this.source : this.value;
  }

  toString(): string {
    return this.source;
  }

  /** Called by JSON.stringify, which writes the original notation. */
  toJSON(): unknown {
    return rawJSON(this.source);
  }
}
