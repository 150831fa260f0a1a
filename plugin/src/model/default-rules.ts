import type { Rules } from "./rules.ts";

/**
 * The default rules. Adapters omit them, and the runtime applies them from its table of the same name. A test
 * verifies that both tables have the same values.
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
  // an empty list means the common error bodies
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

/** The defaults for streams. Adapters omit them, and the runtime adds them. */
export const DEFAULT_STREAM = { maxPages: 1_000, maxEmptyPages: 10, skipBacklog: false, end: [] } as const;
