import type { DescMessage } from "@bufbuild/protobuf";
import type { MethodRules } from "./rules.ts";

/** The rules of a method in generated code, which omits defaults. */
export type DeclaredRules = Partial<MethodRules> & Pick<MethodRules, "upstream">;

/** The default rules. The generator omits rules that equal these. */
export const DEFAULT_RULES: Omit<MethodRules, "upstream"> = {
  base: "",
  credentials: [],
  // without shapes, the runtime tries the common error bodies
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

/** The default limits of streams. */
export const DEFAULT_STREAM = { maxPages: 1_000, maxEmptyPages: 10, skipBacklog: false, end: [] } as const;

/**
 * Returns all rules of a method, with defaults filled in. Called once per method, when its adapter is loaded,
 * so that the rules of all methods have the same object shape in V8.
 */
export function completeRules(rules: DeclaredRules, input?: DescMessage): MethodRules {
  return { ...DEFAULT_RULES, ...rules, input };
}
