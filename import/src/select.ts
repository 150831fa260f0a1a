import type { Operation } from "./normalize/api.ts";

/** The operations to import: by path, tag or `operationId`, where `*` matches any characters. */
export interface Selection {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** Returns the operations that match a pattern of `include` and no pattern of `exclude`. */
export function selected(
  operations: readonly Operation[],
  { include = [], exclude = [] }: Selection,
): Operation[] {
  const wanted = include.length === 0 ? operations : matching(operations, include);
  const unwanted = new Set(matching(operations, exclude));
  return wanted.filter((operation) => !unwanted.has(operation));
}

/** Returns the operations that match one of the patterns. */
export function matching(operations: readonly Operation[], patterns: readonly string[]): Operation[] {
  const matchers = patterns.map(matcher);
  return operations.filter(({ path, verb, operationId, tags }) => {
    const names = [path, `${verb} ${path}`, operationId ?? "", ...tags];
    return matchers.some((pattern) => names.some((name) => pattern.test(name)));
  });
}

function matcher(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`, "s");
}
