import { readFileSync } from "node:fs";
import path from "node:path";
import { parseYaml, type YamlFile } from "./document.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { dotted, problemsOf } from "./issues.ts";
import { ConfigError, type Problem } from "./problems.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** A valid configuration, and the places of its settings for what is found out later. */
export interface Config extends ConfigFile {
  /** As it was named. */
  readonly file: string;
  /** Absolute; relative paths in the file start here. */
  readonly directory: string;
  readonly yaml: YamlFile;
}

/**
 * Reads the configuration file and the environment, which wins.
 *
 * @throws ConfigError with all problems of both
 */
export function loadConfig(file: string, env: Environment): Config {
  const problems: Problem[] = [];
  const settings = readEnvironment(env, problems);
  const yaml = parseYaml(readText(file));
  problems.push(...yaml.errors.map(({ line, column, text }) => ({ file, line, column, key: "yaml", text })));
  const result = yaml.errors.length === 0 ? configSchema.safeParse(yaml.value ?? {}) : undefined;
  if (result?.error !== undefined) problems.push(...problemsOf(result.error, yaml, file));
  if (result?.data === undefined || problems.length > 0) throw new ConfigError(problems.toSorted(byPlace));
  const { server, sandbox, ...rest } = result.data;
  return {
    ...rest,
    server: { ...server, port: settings.port ?? server.port },
    sandbox: sandbox && { ...sandbox, port: settings.sandboxPort ?? sandbox.port },
    file,
    directory: path.dirname(path.resolve(file)),
    yaml,
  };
}

/** A problem at a setting of a configuration. */
export function problemAt(config: Config, path: readonly PropertyKey[], text: string): Problem {
  return { file: config.file, ...config.yaml.positionOf(path), key: dotted(path), text };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `cannot be read: ${reason}. Name another file with --config FILE`;
    throw new ConfigError([{ file, key: "", text }]);
  }
}

function byPlace(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
