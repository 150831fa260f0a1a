import type { DescMethod } from "@bufbuild/protobuf";

/** What a method needs of a token: one of these scopes, or each of them. */
export interface ScopeNeed {
  readonly kind: "one" | "all";
  readonly scopes: readonly string[];
}

/** Scopes and methods. */
export interface ScopeMap {
  /** All scopes that tokens may have, those of the configuration first. */
  readonly names: readonly string[];
  /** What a method needs; undefined for nothing beyond a token. */
  needOf(method: DescMethod): ScopeNeed | undefined;
}

/** Whether a token's scopes are what a method needs. */
export function hasScopes({ kind, scopes }: ScopeNeed, given: ReadonlySet<string>): boolean {
  return kind === "one"
    ? scopes.some((scope) => given.has(scope))
    : scopes.every((scope) => given.has(scope));
}
