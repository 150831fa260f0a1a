/**
 * Prints the lines of code of each package (without blank lines, comments and tests),
 * and the lines of `gen/`.
 */
import { existsSync, readFileSync } from "node:fs";
import { sourcesOf, trackedFiles } from "./sources.ts";

const PACKAGES = ["plugin", "codec", "runtime", "authorization", "gateway", "import", "console"];

/** Counts the lines that are neither blank nor comments. */
function codeLines(text: string): number {
  return text.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;
}

function sum(files: readonly string[], count: (text: string) => number): number {
  return files.reduce((total, file) => total + count(readFileSync(file, "utf8")), 0);
}

function print(name: string, lines: number): void {
  process.stdout.write(`${name.padEnd(16)}${lines.toLocaleString("en").padStart(8)}\n`);
}

const counts = PACKAGES.filter((name) => existsSync(name)).map((name) => {
  const lines = sum(sourcesOf(name), codeLines);
  print(name, lines);
  return lines;
});
print(
  "together",
  counts.reduce((total, lines) => total + lines, 0),
);
print(
  "gen/",
  sum(trackedFiles("gen"), (text) => text.split("\n").length - 1),
);
