import type { Rules } from "./rules.ts";

/**
 * The default rules, which the runtime applies: adapters omit them, and the runtime adds them. Its table of
 * the same name has the same values, which a test verifies.
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
  // the common error bodies
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

/** The defaults for streams, which are omitted and added in the same way. */
export const DEFAULT_STREAM = { maxPages: 1_000, maxEmptyPages: 10, skipBacklog: false, end: [] } as const;
