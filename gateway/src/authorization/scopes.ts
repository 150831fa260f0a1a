import type { DescMethod } from "@bufbuild/protobuf";
import type { ScopeMap, ScopeNeed } from "connect-rest-authorization";
import { matchesMethod } from "connect-rest-runtime/internal";
import { EXPLAIN_SCOPE, EXPLAIN_SERVICE } from "../call/explain-service.ts";

/** A scope and its methods. */
export interface ScopeOptions {
  readonly name: string;
  /** `package.Service/Method`, `package.Service`, `package.*` or `*`. */
  readonly methods: readonly string[];
}

/** The scope of all methods, if no scope is configured or annotated. */
const DEFAULT_SCOPE = "call";

/** Scopes of the gateway's own services, which the pattern `*` does not match. */
export const EXPLAIN_SCOPES: readonly ScopeOptions[] = [{ name: EXPLAIN_SCOPE, methods: [EXPLAIN_SERVICE] }];

/**
 * Maps scopes to methods by the configured patterns. A method that no pattern matches needs the scopes that
 * its rules require of upstream credentials.
 *
 * @param annotated the methods whose rules require scopes
 * @param own the scopes of the gateway's own services; a configured pattern must name such a service
 */
export function createScopeMap(
  scopes: readonly ScopeOptions[],
  annotated: ReadonlyMap<DescMethod, readonly string[]>,
  own: readonly ScopeOptions[] = [],
): ScopeMap {
  const needs = new Map<DescMethod, ScopeNeed | undefined>();
  const ofMethods = [...annotated.values()].flat().filter((scope) => scope !== "offline_access");
  const names = [...new Set([...scopes.map(({ name }) => name), ...ofMethods])];
  const find = (method: DescMethod): ScopeNeed | undefined => {
    const isOwn = own.some(({ methods }) => methods.some((pattern) => fits(method, pattern)));
    const configured = [...scopes, ...own].filter(({ methods }) =>
      methods.some((pattern) => fits(method, pattern) && !(isOwn && pattern === "*")),
    );
    if (configured.length > 0) return { kind: "one", scopes: configured.map(({ name }) => name) };
    const wanted = (annotated.get(method) ?? []).filter((scope) => scope !== "offline_access");
    return wanted.length === 0 ? undefined : { kind: "all", scopes: wanted };
  };
  return {
    names: [...new Set([...(names.length === 0 ? [DEFAULT_SCOPE] : names), ...own.map(({ name }) => name)])],
    needOf: (method) => {
      if (!needs.has(method)) needs.set(method, find(method));
      return needs.get(method);
    },
  };
}

/** Returns whether a pattern matches a method. */
export function fits(method: Parameters<typeof matchesMethod>[1], pattern: string): boolean {
  return pattern === "*" || matchesMethod(pattern, method);
}
