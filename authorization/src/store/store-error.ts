/**
 * Why a store did not do what was asked:
 * - `locked`: others have held it, or a named lock, for too long
 * - `full`: the disk or a quota is
 * - `unreachable`: the file or the server is not there
 * - `failed`: anything else
 */
export type StoreFailure = "locked" | "full" | "unreachable" | "failed";

/**
 * An operation of a store that has changed nothing, or of which that is unknown. Trying again later may help.
 */
export class StoreError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = "StoreError";
    this.failure = failure;
  }
}
