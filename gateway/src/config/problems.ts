/** One mistake in the configuration. */
export interface Problem {
  /** The file as given by the user, or `environment`. */
  readonly file: string;
  /** The line number, starting at 1; absent if the problem has no position in a file. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The dotted path of the setting, e.g. `server.port`. */
  readonly key: string;
  /** The problem, with the expected and the actual value. */
  readonly text: string;
}

/** Formats a problem as `file:line:col: key: text`. */
export function formatProblem({ file, line, column, key, text }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return [place, key, text].filter((part) => part !== "").join(": ");
}

/** An invalid configuration; the message has one line per problem. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join("\n"));
    this.problems = problems;
  }
}
