/** One mistake in the configuration. */
export interface Problem {
  /** The file as it was named, or `environment`. */
  readonly file: string;
  /** From 1; absent where there is no place in a file. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Dotted path of the setting, e.g. `server.port`. */
  readonly key: string;
  /** What is wrong, what was expected, what came. */
  readonly text: string;
}

/** `file:line:col: key: text`. */
export function formatProblem({ file, line, column, key, text }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return [place, key, text].filter((part) => part !== "").join(": ");
}

/** The configuration is wrong; its message has a line for every problem. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join("\n"));
    this.problems = problems;
  }
}
