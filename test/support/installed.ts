/**
 * Installs dependencies of tests that are not npm packages. They are installed at first use, and kept until
 * `npm ci`.
 */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const CACHE = join(import.meta.dirname, "../../node_modules/.cache/connect-rest");

/** The time for a download and a build on a slow machine. */
const INSTALL_MS = 600_000;

export const hasGo = spawnSync("go", ["version"]).status === 0;

/** The reason for skipped tests when `hasGo` is false. */
export const NO_GO = "Go is not installed";

/** An installed file or folder. */
export interface Installed {
  readonly path: string;
  /** The reason why the file or folder is missing; undefined if it exists. */
  readonly problem?: string | undefined;
}

/**
 * Returns a file or folder of the cache. If it is missing, calls `make` first. An interrupted call leaves no
 * incomplete file. Names should include versions.
 */
export async function installed(name: string, make: (path: string) => Promise<void>): Promise<Installed> {
  const path = join(CACHE, name);
  if (existsSync(path)) return { path };
  const draft = `${path}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  try {
    await make(draft);
    renameSync(draft, path);
    return { path };
  } catch (error) {
    // another process can be faster
    if (existsSync(path)) return { path };
    return { path, problem: `${name} cannot be installed: ${String(error)}` };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Runs a program until it exits.
 *
 * @returns its standard output
 * @throws Error with its standard error if the program fails
 */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const env = { ...process.env, ...options.env };
  const { stdout } = await promisify(execFile)(program, args, { ...options, env, timeout: INSTALL_MS });
  return stdout;
}
