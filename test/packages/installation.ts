/** Builds the packages once for all test files, and installs them as npm does. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { PACKAGES } from "../../scripts/packages.ts";
import { trackedFiles } from "../../scripts/sources.ts";
import { installed, run } from "../support/installed.ts";

/** The version of all packages. */
export const VERSION: string = packageJson.version;

export const OURS: readonly string[] = [...PACKAGES.values()];

/** The files from which `npm run build` makes the packages. */
const SOURCES = [
  ...PACKAGES.keys(),
  "scripts",
  "docs",
  "proto",
  "package.json",
  "package-lock.json",
  "LICENSE",
];

const PREFIX = "packages-";

/** Builds the packages, unless they were built from the same sources. Returns the tarballs by package. */
export async function buildTarballs(): Promise<ReadonlyMap<string, string>> {
  const digest = createHash("sha256");
  for (const file of SOURCES.flatMap(trackedFiles)) digest.update(`${file}\0`).update(readFileSync(file));
  const name = `${PREFIX}${digest.digest("hex").slice(0, 16)}`;
  const { path, problem } = await installed(name, async (draft) => {
    await run("npm", ["run", "build", "--", draft]);
  });
  if (problem !== undefined) throw new Error(problem);
  for (const other of readdirSync(dirname(path))) {
    // the drafts of other processes have longer names
    const isOld = other.startsWith(PREFIX) && other.length === name.length && other !== basename(path);
    if (isOld) rmSync(join(dirname(path), other), { recursive: true, force: true });
  }
  return new Map(OURS.map((each) => [each, join(path, `${each}-${VERSION}.tgz`)]));
}

/**
 * Installs packages of this repository into a new folder as npm does, with third-party packages from the
 * workspace. Returns the folder.
 *
 * @param tarballs the tarballs of the packages, by name
 */
export function installTarballs(tarballs: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "packages-"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  for (const name of readdirSync("node_modules")) {
    if (OURS.includes(name) || name.startsWith(".")) continue;
    symlinkSync(resolve("node_modules", name), join(modules, name));
  }
  for (const [name, tarball] of tarballs) {
    const target = join(modules, name);
    mkdirSync(target);
    execFileSync("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
    linkExecutables(modules, name);
  }
  for (const command of readdirSync("node_modules/.bin")) {
    const link = join(modules, ".bin", command);
    if (!existsSync(link)) symlinkSync(resolve("node_modules/.bin", command), link);
  }
  return folder;
}

function linkExecutables(modules: string, name: string): void {
  const { bin = {} } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")) as {
    readonly bin?: Readonly<Record<string, string>>;
  };
  for (const [command, path] of Object.entries(bin)) {
    const file = join(modules, name, path);
    chmodSync(file, 0o755);
    symlinkSync(file, join(modules, ".bin", command));
  }
}
