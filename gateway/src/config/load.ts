import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { parseYaml, type YamlFile } from "./document.ts";
import {
  DEFAULT_CONFIG_FILE,
  type Environment,
  type EnvironmentSettings,
  readEnvironment,
} from "./environment.ts";
import { dotted, problemsOf } from "./issues.ts";
import { ConfigError, type Problem } from "./problems.ts";
import { repair, type SettingPath } from "./repair.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** A valid configuration, with the positions of its settings, to which problems found later refer. */
export interface Config extends ConfigFile {
  /** The path as given by the user. */
  readonly file: string;
  /** The absolute path against which relative paths in the file are resolved. */
  readonly directory: string;
  readonly yaml: YamlFile;
}

/** The valid part of a configuration. */
export interface ReadConfig {
  /** The configuration, without its invalid settings if there are problems; undefined if nothing is valid. */
  readonly config: Config | undefined;
  readonly problems: readonly Problem[];
  /** Settings that were removed because they are invalid. */
  readonly removed: readonly SettingPath[];
}

/**
 * Reads the configuration file and the environment, which overrides the file.
 *
 * @throws ConfigError with all problems of both
 */
export function loadConfig(file: string, env: Environment): Config {
  const { config, problems } = readConfig(file, env);
  if (config === undefined || problems.length > 0) throw new ConfigError(problems);
  return config;
}

/**
 * Reads the configuration file and the environment. Returns the valid part of the configuration, and the
 * problems of the invalid part.
 */
export function readConfig(file: string, env: Environment): ReadConfig {
  const problems: Problem[] = [];
  const settings = readEnvironment(env, problems);
  const text = readText(file, problems);
  if (text === undefined) return { config: undefined, problems, removed: [] };
  const yaml = parseYaml(text);
  problems.push(...yaml.errors.map(({ line, column, text }) => ({ file, line, column, key: "yaml", text })));
  if (yaml.errors.length > 0) return { config: undefined, problems: problems.toSorted(byPlace), removed: [] };
  const result = configSchema.safeParse(yaml.value ?? {});
  if (result.error !== undefined) problems.push(...problemsOf(result.error, yaml, file));
  const repaired = result.success
    ? { value: result.data, removed: [] }
    : repair(partSchema, yaml.value, anyAddress);
  return {
    config: repaired && effective(repaired.value, settings, file, yaml),
    problems: problems.toSorted(byPlace),
    removed: repaired?.removed ?? [],
  };
}

/** The schema of the valid part of an invalid configuration, which may lack adapters. */
const partSchema = configSchema.extend({ adapters: z.array(z.string()).default([]) });

function effective(
  { server, sandbox, ...rest }: ConfigFile,
  { port, sandboxPort }: EnvironmentSettings,
  file: string,
  yaml: YamlFile,
): Config {
  return {
    ...rest,
    server: { ...server, port: port ?? server.port },
    sandbox: sandbox && { ...sandbox, port: sandboxPort ?? sandbox.port },
    file,
    directory: path.dirname(path.resolve(file)),
    yaml,
  };
}

/** Returns a problem at the position of a setting in the configuration. */
export function problemAt(config: Config, path: readonly PropertyKey[], text: string): Problem {
  return { file: config.file, ...config.yaml.positionOf(path), key: dotted(path), text };
}

/** The remedy for a person who starts in an empty folder. */
const NO_PROJECT =
  "the working directory has no such file. Create a project with connect-rest init, or with " +
  "connect-rest init --openapi FILE from an OpenAPI document, or import a document with connect-rest import FILE";

function readText(file: string, problems: Problem[]): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isNew = file === DEFAULT_CONFIG_FILE && reason.startsWith("ENOENT");
    const text = isNew ? NO_PROJECT : `cannot be read: ${reason}`;
    problems.push({ file, key: "", text: `${text}. Name another file with --config FILE` });
    return undefined;
  }
}

function byPlace(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

const ANY_ADDRESS = "https://address.invalid";

/**
 * Returns a replacement for an invalid upstream address. Without an address, the whole upstream would be
 * removed, and its other mistakes would not be found.
 */
function anyAddress([root, _name, key, ...rest]: SettingPath, wrong: unknown): unknown {
  if (root !== "upstreams") return undefined;
  if (key === "baseUrl" || (key === "bases" && rest.length === 1)) return ANY_ADDRESS;
  const isUpstream =
    key === undefined && typeof wrong === "object" && wrong !== null && !Array.isArray(wrong);
  return isUpstream && !("baseUrl" in wrong) ? { ...wrong, baseUrl: ANY_ADDRESS } : undefined;
}
