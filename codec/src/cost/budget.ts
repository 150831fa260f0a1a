/** The cost of a scalar value: a number, a literal, a string, a key. */
export const VALUE_COST = 1;

/** Thrown when decoding JSON or protobuf costs more than the limit. */
export class TooCostly extends Error {}

/**
 * Thrown for a message whose content takes more time than its cost shows. No real message needs such content.
 */
export class TooComplex extends Error {}

/** Counts the cost of decoding before the decoding. */
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
