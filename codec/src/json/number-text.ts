import { rawJSON } from "./raw.ts";

/**
 * A number of a JSON text that JSON.parse would not give back as it is written: `1.10`, `1e3`, or one with
 * more digits than a double holds. JSON.stringify writes it as it came.
 * It appears only where a text was parsed verbatim.
 */
export class NumberText {
  /** As it is written. */
  readonly source: string;
  /** The nearest double; a bigint for an integer beyond 2^53. */
  readonly value: number | bigint;

  constructor(source: string, value: number | bigint) {
    this.source = source;
    this.value = value;
  }

  toString(): string {
    return this.source;
  }

  /** For JSON.stringify, which writes it verbatim. */
  toJSON(): unknown {
    return rawJSON(this.source);
  }
}
