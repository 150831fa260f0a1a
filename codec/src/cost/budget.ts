/** What a value costs that is neither an object nor an array: a number, a word, a text, a key. */
export const VALUE_COST = 1;

/** JSON or protobuf costs more to decode than is allowed. */
export class TooCostly extends Error {}

/** A message has what takes more time than its cost tells, and no message needs. */
export class TooComplex extends Error {}

/** Counts what decoding will cost, before it is done. */
export class Budget {
  /** In units of `VALUE_COST`. */
  spent = 0;
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @throws TooCostly once more than the limit is spent */
  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.limit) throw new TooCostly(`more than ${this.limit}`);
  }
}
