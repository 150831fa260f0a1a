/** The faults that the responses of generators can have. */
export type InsertionErrorCode =
  | "generator-failed"
  | "nameless-first-chunk"
  | "nameless-insertion"
  | "unsafe-path"
  | "duplicate-file"
  | "missing-file"
  | "missing-point"
  | "line-too-long"
  | "code-info";

/** Thrown for responses that cannot be combined. The message begins with the name of the generator. */
export class InsertionError extends Error {
  override readonly name = "InsertionError";
  readonly code: InsertionErrorCode;

  constructor(code: InsertionErrorCode, generator: string, text: string) {
    super(`${generator}: ${text}`);
    this.code = code;
  }
}
