import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

/** Returns the lines with the errors of each source. Each source has its own package. */
export function errorsOf(sources: readonly string[]): string[][] {
  const files = sources.map((source, index) => [
    `c${index}.proto`,
    HEAD.replace("test.v1", `c${index}`) + source,
  ]);
  const { error } = runGenerator(compileRequest(Object.fromEntries(files)));
  const lines = error === "" ? [] : error.split("\n");
  const foreign = lines.find((line) => !/^c\d+\.proto:/.test(line));
  if (foreign !== undefined) throw new Error(foreign);
  return sources.map((_, index) => lines.filter((line) => line.startsWith(`c${index}.proto:`)));
}
