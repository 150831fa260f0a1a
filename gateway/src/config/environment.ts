import type { Problem } from "./problems.ts";

/** The maximum number of processes that can serve one port. */
export const MAX_WORKERS = 256;

/** The default configuration file. */
export const DEFAULT_CONFIG_FILE = "connect-rest.yaml";

/** Settings from the environment, which override the file. */
export interface EnvironmentSettings {
  readonly port?: number;
  readonly sandboxPort?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `GATEWAY_PORT` and `SANDBOX_PORT`; adds problems to the list. */
export function readEnvironment(env: Environment, problems: Problem[]): EnvironmentSettings {
  const port = readPort("GATEWAY_PORT", env, problems);
  const sandboxPort = readPort("SANDBOX_PORT", env, problems);
  return {
    ...(port === undefined ? {} : { port }),
    ...(sandboxPort === undefined ? {} : { sandboxPort }),
  };
}

function readPort(name: string, env: Environment, problems: Problem[]): number | undefined {
  const value = env[name];
  if (value === undefined || value === "") return undefined;
  if (isPort(value)) return Number(value);
  const text = `expected a port from 0 to 65535; it is ${JSON.stringify(value)}`;
  problems.push({ file: "environment", key: name, text });
  return undefined;
}

/** Returns whether a string is a port from 0 to 65535. */
export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}
