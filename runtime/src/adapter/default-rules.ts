import type { MethodRules } from "./rules.ts";

/** The rules of a method as generated code states them: what is left out has its default. */
export type DeclaredRules = Partial<MethodRules> & Pick<MethodRules, "upstream">;

/** What holds where generated code states nothing. The generator leaves out what equals these. */
export const DEFAULT_RULES: Omit<MethodRules, "upstream"> = {
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

/** What holds of streams where generated code states nothing. */
export const DEFAULT_STREAM = { maxPages: 1_000, maxEmptyPages: 10, skipBacklog: false, end: [] } as const;

/**
 * All rules of a method, the defaults filled in. Called once a method, when its adapter is loaded, so that
 * calls read objects that all begin with the same properties.
 */
export function completeRules(rules: DeclaredRules): MethodRules {
  return { ...DEFAULT_RULES, ...rules };
}
