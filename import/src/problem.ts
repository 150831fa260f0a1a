/** A document that cannot be imported: what is wrong, where, and what to do. */
export class ImportError extends Error {
  /** A file with a line, or a JSON pointer in it. */
  readonly place: string;

  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`);
    this.name = "ImportError";
    this.place = place;
  }
}
