/** The error for a project that cannot be created. The message names the cause and the remedy. */
export class InitError extends Error {
  override readonly name = "InitError";
}
