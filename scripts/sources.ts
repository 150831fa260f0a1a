/** The sources of a folder: neither tests, nor what only tests use, nor generated code. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const OTHERS = /^(?:gen|test)\/|\/(?:gen|testing)\/|\.test\.ts$/;

/** The TypeScript files, AssemblyScript included, by their paths from the root, where it must run. */
export function sourcesOf(folder: string): string[] {
  return trackedFiles(folder).filter((file) => file.endsWith(".ts") && !OTHERS.test(file));
}

/** The files that are in the index, or may come into it. */
export function trackedFiles(folder: string): string[] {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const output = execFileSync("git", [...options, "--", folder], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return output.split("\0").filter((file) => file !== "" && existsSync(file));
}
