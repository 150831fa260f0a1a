/**
 * Thrown for a document that cannot be imported. The message contains the fault, its position and the remedy.
 */
export class ImportError extends Error {
  /** A file with a line, or with a JSON pointer. */
  readonly place: string;

  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`);
    this.name = "ImportError";
    this.place = place;
  }
}
