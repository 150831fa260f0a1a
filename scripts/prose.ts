/** Extracts prose: the text of a page, or the comments and test names of a source. */
import { trackedFiles } from "./sources.ts";

/**
 * A character that replaces text other than prose. It is not white space, so that no phrase continues across
 * it.
 */
const CODE = "\0";

const GENERATED = /(?:^|\/)gen\/|^docs\/api\//;
/** Files of other projects. */
const VENDORED = /^plugin\/protos\/|^gateway\/proto\/grpc\//;
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*|(?<=[ \t]))\/\/(?! biome-ignore)(?: .*)?$/gm;
const LEADER = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm;
const TEST_NAME = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\(\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const EXAMPLE = /^ {4,}\S.*$/gm;
const INLINE_CODE = /(`+)[^`\0]+?\1/g;
const NOT_PROSE_OF_PAGES = [/^( *)```[\s\S]*?^\1```/gm, /<!--[\s\S]*?-->/g];
/** Link targets and tags within sentences. */
const MARKUP = /(?<=\])\([^)\s]*\)|<[a-z/][^>\n]*>/g;

/** Returns the files in these paths that have prose and are neither generated nor vendored. */
export function filesWithProse(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => trackedFiles(path));
  return files.filter(
    (file) => /\.(?:md|proto|ts)$/.test(file) && !GENERATED.test(file) && !VENDORED.test(file),
  );
}

/** Masks everything except prose. Offsets stay the same. */
export function proseOf(text: string, file: string): string {
  const prose = file.endsWith(".md") ? proseOfPage(text) : proseOfSource(text, file);
  return prose.replace(INLINE_CODE, (code) => code.replace(/[^\s]/g, "_"));
}

function proseOfPage(text: string): string {
  const prose = NOT_PROSE_OF_PAGES.reduce((rest, pattern) => rest.replace(pattern, masked), text);
  return prose.replace(MARKUP, (markup) => markup.replace(/[^\s]/g, "_"));
}

function proseOfSource(text: string, file: string): string {
  const pieces: (readonly [start: number, prose: string])[] = [];
  for (const { 0: comment, index } of text.matchAll(COMMENT)) {
    const prose = comment.replace(LEADER, (leader) => " ".repeat(leader.length));
    const column = /^ *\S/.exec(comment)?.[0].length ?? 1;
    pieces.push([index, prose.replace(EXAMPLE, (line) => (isExample(line, column) ? masked(line) : line))]);
  }
  for (const { 0: call, 2: name = "", index } of file.endsWith(".test.ts") ? text.matchAll(TEST_NAME) : []) {
    pieces.push([index + call.length - 1 - name.length, name]);
  }
  let prose = masked(text);
  for (const [start, piece] of pieces) {
    prose = prose.slice(0, start) + piece + prose.slice(start + piece.length);
  }
  return prose;
}

/** Reports whether a line is indented by four columns more than the comment's text. */
function isExample(line: string, column: number): boolean {
  return line.search(/\S/) >= column + 6;
}

function masked(text: string): string {
  return text.replace(/[^\n]/g, CODE);
}

/** Returns the line and column of an offset, both starting at 1. */
export function positionIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
