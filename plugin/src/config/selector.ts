/**
 * A selector of a service config (google/api/documentation.proto, DocumentationRule.selector): full names,
 * separated by commas. A name may end in `.*`, which selects all names with that prefix. `*` alone selects
 * everything.
 */
export interface Selector {
  readonly patterns: readonly string[];
}

/** Parses a selector. Returns its fault if it is invalid. */
export function parseSelector(text: string): Selector | { readonly fault: string } {
  const patterns = text.split(",").map((pattern) => pattern.trim());
  const wrong = patterns.find((pattern) => !/^(\*|[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\.\*)?)$/.test(pattern));
  if (wrong === undefined) return { patterns };
  return {
    fault: `\`${wrong}\` is not a selector; use a full name, e.g. \`pkg.Service.Method\`, \`pkg.Service.*\` or \`*\``,
  };
}

/** Returns the names that a pattern selects. */
export function select(pattern: string, names: Iterable<string>): string[] {
  if (!pattern.endsWith("*")) return [...names].filter((name) => name === pattern);
  const start = pattern.slice(0, -1);
  return [...names].filter((name) => name.startsWith(start));
}
