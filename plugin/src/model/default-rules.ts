import type { Rules } from "./rules.ts";

/**
 * The rules that hold where nothing is said, for the runtime to act on: adapters leave them out, and the
 * runtime adds them. Its table of the same name has the same values, which a test compares.
 */
export const DEFAULT_RULES: Pick<
  Rules,
  | "base"
  | "credentials"
  | "errorShapes"
  | "errors"
  | "retryAfter"
  | "rawErrorBody"
  | "redirects"
  | "success"
  | "responseEncoding"
  | "scopes"
  | "idempotent"
> = {
  base: "",
  credentials: [],
  // the common bodies of errors
  errorShapes: [],
  errors: [],
  retryAfter: [],
  rawErrorBody: false,
  redirects: false,
  success: [],
  responseEncoding: "json",
  scopes: [],
  idempotent: false,
};

/** What holds of streams where nothing is said; it is left out and added in the same way. */
export const DEFAULT_STREAM = { maxPages: 1_000, maxEmptyPages: 10, skipBacklog: false, end: [] } as const;
