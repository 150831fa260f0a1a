/**
 * Checks the length of functions and files, the number of modules that a file imports, and the width of
 * comments.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { importsIn } from "./import-rules.ts";
import { sourcesOf, trackedFiles } from "./sources.ts";

/** The count includes blank lines and comments. */
const MAX_FUNCTION_LINES = 80;
const MAX_FILE_LINES = 450;
const MAX_IMPORTS = 25;

/** The width of the formatter, which wraps code but not comments. */
const MAX_COLUMNS = 110;

/** Files without limits: tables of facts, lists of exports, and the sandbox's routes. */
const UNLIMITED: readonly string[] = [
  "codec/src/internal.ts",
  "gateway/src/index.ts",
  "plugin/src/index.ts",
  "runtime/src/adapter.ts",
  "runtime/src/errors/table.ts",
  "runtime/src/index.ts",
  "runtime/src/internal.ts",
  "sandbox/src/routes.ts",
];

/** Known violations. An entry without a violation is reported too. */
const EXCEPTIONS: readonly string[] = [];

/**
 * A violation by a function, a file, a file's imports or a folder's comments, in the format of `EXCEPTIONS`.
 */
export interface Excess {
  readonly name: string;
  readonly size: string;
}

/** Returns the violations in these sources. */
function excesses(files: readonly string[]): Excess[] {
  const limited = files.filter((file) => !UNLIMITED.includes(file));
  return [...limited.flatMap(ofFile), ...longFunctions(new Set(limited))];
}

/** Returns a line for each violation without an exception, and for each exception without a violation. */
export function sizeViolations(
  found: readonly Excess[],
  exceptions: readonly string[] = EXCEPTIONS,
): string[] {
  const names = new Set(found.map(({ name }) => name));
  return [
    ...found.filter(({ name }) => !exceptions.includes(name)).map(({ name, size }) => `${name}: ${size}`),
    ...exceptions
      .filter((name) => !names.has(name))
      .map((name) => `${name}: within its limit; remove its exception from scripts/sizes.ts`),
  ];
}

function ofFile(file: string): Excess[] {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n").length - 1;
  const imports = new Set(importsIn(text, file).map(({ target }) => target)).size;
  return [
    ...(lines > MAX_FILE_LINES ? [{ name: file, size: `${lines} lines, at most ${MAX_FILE_LINES}` }] : []),
    ...(imports > MAX_IMPORTS
      ? [{ name: `imports of ${file}`, size: `${imports}, at most ${MAX_IMPORTS}` }]
      : []),
  ];
}

/**
 * Finds comments that are too wide, by top-level folder. Comments for the linter are excluded, since they
 * cannot be wrapped.
 */
function wideComments(files: readonly string[]): Excess[] {
  const wide = files.flatMap((file) => {
    const lines = readFileSync(file, "utf8").split("\n").entries();
    return [...lines]
      .filter(([, line]) => line.length > MAX_COLUMNS && /^\s*(?:\/\/(?! biome-ignore)|\/\*|\*)/.test(line))
      .map(([index]) => `${file}:${index + 1}`);
  });
  const folders = Map.groupBy(wide, (place) => place.slice(0, place.indexOf("/") + 1) || "./");
  return [...folders].map(([folder, places]) => ({
    name: `comments in ${folder}`,
    size: `beyond ${MAX_COLUMNS} columns: ${places.slice(0, 9).join(", ")}${places.length > 9 ? ", …" : ""}`,
  }));
}

/** The part of a Biome report that this script uses. */
interface Report {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly location: {
      readonly path: string;
      readonly start: { readonly line: number };
      readonly end: { readonly line: number };
    };
  }[];
}

/**
 * Finds long functions with a Biome rule that reports the position of every function. Biome's own line count
 * excludes comments.
 */
function longFunctions(files: ReadonlySet<string>): Excess[] {
  const options = ["--config-path=scripts/function-lines.json", "--max-diagnostics=none", "--reporter=json"];
  const { stdout } = spawnSync("node_modules/.bin/biome", ["lint", ...options, "."], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const { diagnostics } = JSON.parse(stdout) as Report;
  return diagnostics.flatMap(({ category, location: { path, start, end } }) => {
    const lines = end.line - start.line + 1;
    if (!category.startsWith("lint/") || lines <= MAX_FUNCTION_LINES || !files.has(path)) return [];
    const head = readFileSync(path, "utf8").split("\n")[start.line - 1] ?? "";
    const [, named, called] = /(?:function\*?|const) (\w+)|(\w+)\(/.exec(head) ?? [];
    const name = named ?? called ?? `line ${start.line}`;
    return [{ name: `${name} in ${path}`, size: `${lines} lines, at most ${MAX_FUNCTION_LINES}` }];
  });
}

if (import.meta.main) {
  const written = trackedFiles(".").filter(
    (file) => /\.(?:tsx?|cjs)$/.test(file) && !/(?:^|\/)gen\//.test(file),
  );
  const violations = sizeViolations([...excesses(sourcesOf(".")), ...wideComments(written)]);
  for (const violation of violations) process.stderr.write(`${violation}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
