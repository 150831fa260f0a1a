/**
 * The reason for the failure of a store:
 * - `locked`: the store, or a named lock, was locked for too long
 * - `full`: the disk or a quota is full
 * - `unreachable`: the file or the server is missing
 * - `failed`: anything else
 */
export type StoreFailure = "locked" | "full" | "unreachable" | "failed";

/**
 * Thrown for an operation that has changed nothing, or whose effect is unknown. A later retry may succeed.
 */
export class StoreError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = "StoreError";
    this.failure = failure;
  }
}
