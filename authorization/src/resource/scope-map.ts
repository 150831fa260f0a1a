import type { DescMethod } from "@bufbuild/protobuf";

/** The scopes that a method requires of a token: one of the listed scopes, or all of them. */
export interface ScopeNeed {
  readonly kind: "one" | "all";
  readonly scopes: readonly string[];
}

/** The scopes of all methods. */
export interface ScopeMap {
  /** All scopes that tokens may have. Configured scopes come first. */
  readonly names: readonly string[];
  /** Returns the scopes that a method requires; undefined if any token suffices. */
  needOf(method: DescMethod): ScopeNeed | undefined;
}

/** Reports whether a token's scopes meet the requirement of a method. */
export function hasScopes({ kind, scopes }: ScopeNeed, given: ReadonlySet<string>): boolean {
  return kind === "one"
    ? scopes.some((scope) => given.has(scope))
    : scopes.every((scope) => given.has(scope));
}
