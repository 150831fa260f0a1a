/**
 * Reports prose that uses a construction of `words.ts`, with its replacement:
 *
 *     node scripts/check-words.ts [<file or folder> ...]
 *     node scripts/check-words.ts --update
 *
 * Without paths, files listed in `words-unclean.txt` may use the constructions, and the list may not name a
 * clean file. `--update` removes clean files from the list. `words: allow <phrase>` in a comment allows the
 * phrase in the comment's paragraph or in the paragraph after it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { filesWithProse, positionIn, proseOf } from "./prose.ts";
import { TYPE_NAMES, WORDS } from "./words.ts";

const UNCLEAN = "scripts/words-unclean.txt";

/** Returns a line for each construction in a file. */
export function wordViolations(text: string, file: string): string[] {
  const prose = proseOf(text, file);
  const names = file.endsWith(".ts") ? [...text.matchAll(TYPE_NAMES)] : [];
  return [
    ...names.map(({ 1: name = "", index }) => ({ index, phrase: name, replacement: "a public word" })),
    ...WORDS.flatMap(([construction, replacement]) =>
      [...prose.matchAll(acrossLines(construction))].map(({ 0: found, index }) => {
        return { index, phrase: found.trim().replace(/\s+/g, " "), replacement };
      }),
    ),
  ]
    .filter(({ index, phrase }) => !isAllowed(text, index, phrase))
    .sort((one, other) => one.index - other.index)
    .map(
      ({ index, phrase, replacement }) =>
        `${file}:${positionIn(text, index)}: "${phrase}"; write: ${replacement}`,
    );
}

/** Returns a pattern that also matches the construction across line breaks. */
function acrossLines({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replaceAll(" ", "\\s+"), flags);
}

/** Returns a line for each construction in an unlisted file, and for each listed file that is clean. */
export function unlistedViolations(
  found: ReadonlyMap<string, readonly string[]>,
  listed: readonly string[],
): string[] {
  return [
    ...[...found].flatMap(([file, violations]) => (listed.includes(file) ? [] : violations)),
    ...listed
      .filter((file) => (found.get(file) ?? []).length === 0)
      .map((file) => `${UNCLEAN}: ${file} is clean; run node scripts/check-words.ts --update`),
  ];
}

function isAllowed(text: string, index: number, phrase: string): boolean {
  const start = text.lastIndexOf("\n\n", index) + 1;
  const end = text.indexOf("\n\n", index);
  const paragraph = text.slice(start, end < 0 ? undefined : end).toLowerCase();
  return paragraph.includes(`words: allow ${phrase.toLowerCase()}`);
}

function main(paths: readonly string[]): void {
  const files = filesWithProse(paths.length === 0 ? ["."] : paths);
  const found = new Map(files.map((file) => [file, wordViolations(readFileSync(file, "utf8"), file)]));
  const violations =
    paths.length === 0 ? unlistedViolations(found, listedFiles()) : [...found.values()].flat();
  for (const violation of violations) process.stderr.write(`${violation}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function update(): void {
  const unclean = listedFiles().filter(
    (file) =>
      filesWithProse([file]).length > 0 && wordViolations(readFileSync(file, "utf8"), file).length > 0,
  );
  writeFileSync(
    UNCLEAN,
    [...new Set(unclean)]
      .sort()
      .map((file) => `${file}\n`)
      .join(""),
  );
}

function listedFiles(): string[] {
  return readFileSync(UNCLEAN, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

if (import.meta.main) {
  const paths = process.argv.slice(2);
  if (paths[0] === "--update") {
    update();
  } else {
    main(paths);
  }
}
