import type { Operation } from "./normalize/api.ts";

/** Which operations are imported: by path, tag or `operationId`, with `*` for any text. */
export interface Selection {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** The operations that one pattern of `include` fits, and none of `exclude`. */
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
