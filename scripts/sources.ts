/** Lists the sources of a folder, without tests, test helpers and generated code. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const OTHERS = /^(?:gen|test)\/|\/(?:gen|testing)\/|\.test\.ts$/;

/**
 * Returns the paths of TypeScript files, including AssemblyScript, relative to the root, which must be the
 * working directory.
 */
export function sourcesOf(folder: string): string[] {
  return trackedFiles(folder).filter((file) => /\.tsx?$/.test(file) && !OTHERS.test(file));
}

/** Returns the files in the index, and untracked files that are not ignored. */
export function trackedFiles(folder: string): string[] {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const output = execFileSync("git", [...options, "--", folder], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return output.split("\0").filter((file) => file !== "" && existsSync(file));
}
