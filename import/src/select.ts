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
  const wanted = include.map(matcher);
  const unwanted = exclude.map(matcher);
  return operations.filter((operation) => {
    const names = [
      operation.path,
      `${operation.verb} ${operation.path}`,
      operation.operationId ?? "",
      ...operation.tags,
    ];
    const fits = (patterns: readonly RegExp[]) =>
      patterns.some((pattern) => names.some((name) => pattern.test(name)));
    return (wanted.length === 0 || fits(wanted)) && !fits(unwanted);
  });
}

function matcher(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`, "s");
}
