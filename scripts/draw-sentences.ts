/**
 * Draws random sentences of pages, or comments of sources, for readers who review the prose:
 *
 *     node scripts/draw-sentences.ts docs [--count 100] [--seed 1] [<file or folder> ...]
 *     node scripts/draw-sentences.ts comments [--count 100] [--seed 1] [<file or folder> ...]
 *
 * A comment is followed by the line of code to which the comment belongs. The same seed and files give the
 * same draw. Unchanged sentences keep their order.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { filesWithProse, positionIn, proseOf } from "./prose.ts";

/** A sentence of a page, or a comment. */
export interface Passage {
  /** `file:line:column`. */
  readonly place: string;
  readonly text: string;
  /** The line of code to which a comment belongs. */
  readonly code?: string;
}

const SHORTEST = 4;

/** Returns the sentences of a page, including table cells but not headings. */
export function sentencesOf(text: string, file: string): Passage[] {
  const prose = proseOf(text, file).replace(/^#.*$|^ *(?:[-*]|\d+\.) |[|]/gm, (found) =>
    "\0".repeat(found.length),
  );
  return passages(
    text,
    file,
    prose,
    /[^\0\s](?:(?!(?<!e\.g|i\.e)[.!?]\)?\s+[^a-z\s]|\n\s*\n)[^\0])*[.!?]?\)?/g,
  );
}

/** Returns the comments of a source. Consecutive `//` lines form one comment. */
export function commentsOf(text: string, file: string): Passage[] {
  return passages(text, file, proseOf(text, file), /[^\0\s][^\0]*/g, codeBeside);
}

/** Returns the code on the line of a comment, or the first line of code after the comment. */
function codeBeside(text: string, start: number, end: number): string {
  if (/["'`]/.test(text[start - 1] ?? "")) return "(test name)";
  const before = text.slice(text.lastIndexOf("\n", start) + 1, start).replace(/\/[/*]+\s*$|^\s*\*/, "");
  const rest = /\S/.test(before) ? before : text.slice(end).replace(/^(?:\s|\*\/|\/\/.*\n)+/, "");
  return rest.split("\n", 1)[0]?.trim() ?? "";
}

function passages(
  text: string,
  file: string,
  prose: string,
  pattern: RegExp,
  beside?: typeof codeBeside,
): Passage[] {
  return [...prose.matchAll(pattern)]
    .map(({ 0: found, index }) => {
      const raw = text.slice(index, index + found.length);
      const words = file.endsWith(".md") ? raw : raw.replace(/^[ \t]*(?:\*\/|\*|\/\/)|\*\/$/gm, " ");
      return {
        place: `${file}:${positionIn(text, index)}`,
        text: words.trim().replace(/\s+/g, " "),
        ...(beside && { code: beside(text, index, index + found.length) }),
      };
    })
    .filter((passage) => passage.text.split(" ").length >= SHORTEST);
}

/**
 * Returns at most `count` passages with distinct texts, in an order that depends only on the seed and the
 * texts.
 */
export function draw(all: readonly Passage[], count: number, seed: string): Passage[] {
  const different = new Map(all.map((passage) => [passage.text, passage]));
  const ranked = [...different].map(([text, passage]) => {
    return { passage, rank: createHash("sha256").update(`${seed}\0${text}`).digest("hex") };
  });
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ passage }) => passage);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: "string", default: "100" }, seed: { type: "string", default: "1" } },
  });
  const [kind, ...paths] = positionals;
  if (kind !== "docs" && kind !== "comments") throw new Error("name what to draw: docs or comments");
  const files = filesWithProse(paths.length === 0 ? ["."] : paths);
  const read = kind === "docs" ? sentencesOf : commentsOf;
  const all = files
    .filter((file) => file.endsWith(".md") === (kind === "docs"))
    .flatMap((file) => read(readFileSync(file, "utf8"), file));
  for (const { place, text, code } of draw(all, Number(values.count), values.seed)) {
    process.stdout.write(`${place}\n  ${text}\n${code ? `    ${code}\n` : ""}`);
  }
}
