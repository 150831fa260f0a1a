/** The cost of a scalar value: a number, a literal, a string, a key. */
export const VALUE_COST = 1;

/** Thrown when decoding JSON or protobuf costs more than the limit. */
export class TooCostly extends Error {}

/**
 * Thrown for a message that takes more time to decode than its cost suggests. No real message needs such
 * content.
 */
export class TooComplex extends Error {}

/** Adds up the cost of decoding before decoding starts. */
export class Budget {
  /** The cost so far, in units of `VALUE_COST`. */
  spent = 0;
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @throws TooCostly when the total exceeds the limit */
  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.limit) throw new TooCostly(`more than ${this.limit}`);
  }
}
