/** The cost of a scalar value: a number, a literal, a string, a key. */
export const VALUE_COST = 1;

/** Thrown when JSON or protobuf costs more to decode than the limit allows. */
export class TooCostly extends Error {}

/**
 * Thrown for a message with content that takes more time than its cost shows, and that no real message
 * needs.
 */
export class TooComplex extends Error {}

/** Counts the cost of decoding in advance. */
export class Budget {
  /** In units of `VALUE_COST`. */
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
