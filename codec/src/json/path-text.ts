/**
 * The notation of declared paths, such as `page.'@odata.next'`, and of paths in reports, such as
 * `posts[3].blog`.
 */

/** The maximum number of characters of a key in a path. */
const MAX_KEY = 100;

/** Matches a key that cannot be read as anything else. */
const PLAIN = /^[^\s.[\]()'"…\p{C}]+$/u;

/**
 * Returns a key as a step. A key that could be read as something else is a JSON string in brackets:
 * `["1.0"]`. An ellipsis after the string marks a key that was cut.
 */
export function stepText(key: string): string {
  if (key.length > MAX_KEY) {
    const start = key.slice(0, MAX_KEY).replace(/[\ud800-\udbff]$/, "");
    return `[${JSON.stringify(start)}…]`;
  }
  return PLAIN.test(key) ? key : `[${JSON.stringify(key)}]`;
}

/** Returns a declared path, in which keys with dots are in single quotes, as a path of a report. */
export function declaredText(path: string): string {
  return path === "" ? "" : stepsOf(path).map(stepText).reduce(joinedPath);
}

/** Splits a declared path into its steps. */
export function stepsOf(path: string): readonly string[] {
  if (!path.includes("'")) return path.split(".");
  return [...path.matchAll(/'([^']*)'|[^.']+/g)].map(([step, quoted]) => quoted ?? step);
}

/** Joins two paths; `""` is an empty path. */
export function joinedPath(path: string, rest: string): string {
  return path === "" || rest === "" || rest.startsWith("[") ? path + rest : `${path}.${rest}`;
}

/** A step of a path. A key that was cut has only its beginning; a plain key is not in quotes. */
export interface ReportedStep {
  readonly key: string | number;
  readonly isCut: boolean;
  readonly isPlain: boolean;
}

/** Splits a path into its steps. */
export function reportedSteps(path: string): ReportedStep[] {
  const steps = path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\["\\/bfnrt]|\\u[\da-f]{4})*")(…?)\]|([^.[\]"]+)/g);
  return Array.from(steps, ([, index, quoted, cut = "", plain = ""]) => ({
    key: index !== undefined ? Number(index) : quoted !== undefined ? String(JSON.parse(quoted)) : plain,
    isCut: cut !== "",
    isPlain: plain !== "",
  }));
}
