/** What can be wrong with the responses of generators. */
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

/** Responses that cannot be put together. The text begins with the generator's name. */
export class InsertionError extends Error {
  override readonly name = "InsertionError";
  readonly code: InsertionErrorCode;

  constructor(code: InsertionErrorCode, generator: string, text: string) {
    super(`${generator}: ${text}`);
    this.code = code;
  }
}
