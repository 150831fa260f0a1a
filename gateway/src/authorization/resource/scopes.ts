import type { DescMethod } from "@bufbuild/protobuf";
import { matchesMethod } from "connect-rest-runtime/internal";

/** A scope, and the methods that it is for. */
export interface ScopeOptions {
  readonly name: string;
  /** `package.Service/Method`, `package.Service`, `package.*` or `*`. */
  readonly methods: readonly string[];
}

/** What a method needs of a token: one of these scopes, or each of them. */
export interface ScopeNeed {
  readonly kind: "one" | "all";
  readonly scopes: readonly string[];
}

/** The scope of tokens where none is configured or annotated: all methods. */
const DEFAULT_SCOPE = "call";

/** Scopes and methods. */
export interface ScopeMap {
  /** All scopes that tokens may have, those of the configuration first. */
  readonly names: readonly string[];
  /** What a method needs; undefined for nothing beyond a token. */
  needOf(method: DescMethod): ScopeNeed | undefined;
}

/**
 * Maps scopes to methods, by the patterns of the configuration; a method that none of them names needs what the upstream wants
 * of its credentials (`scopes` of its rules).
 *
 * @param annotated the methods that have such rules
 */
export function createScopeMap(
  scopes: readonly ScopeOptions[],
  annotated: ReadonlyMap<DescMethod, readonly string[]>,
): ScopeMap {
  const needs = new Map<DescMethod, ScopeNeed | undefined>();
  const ofMethods = [...annotated.values()].flat().filter((scope) => scope !== "offline_access");
  const names = [...new Set([...scopes.map(({ name }) => name), ...ofMethods])];
  const find = (method: DescMethod): ScopeNeed | undefined => {
    const configured = scopes.filter(({ methods }) => methods.some((pattern) => fits(method, pattern)));
    if (configured.length > 0) return { kind: "one", scopes: configured.map(({ name }) => name) };
    const wanted = (annotated.get(method) ?? []).filter((scope) => scope !== "offline_access");
    return wanted.length === 0 ? undefined : { kind: "all", scopes: wanted };
  };
  return {
    names: names.length === 0 ? [DEFAULT_SCOPE] : names,
    needOf: (method) => {
      if (!needs.has(method)) needs.set(method, find(method));
      return needs.get(method);
    },
  };
}

/** Whether a token's scopes are what a method needs. */
export function hasScopes({ kind, scopes }: ScopeNeed, given: ReadonlySet<string>): boolean {
  return kind === "one"
    ? scopes.some((scope) => given.has(scope))
    : scopes.every((scope) => given.has(scope));
}

/** Whether a pattern names a method. */
export function fits(method: DescMethod, pattern: string): boolean {
  return pattern === "*" || matchesMethod(pattern, method);
}
