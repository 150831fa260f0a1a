const WIDTH = 100;

/** Returns the lines of a comment, wrapped at words. Omits control characters and trailing blank lines. */
export function commentLines(text: string, indent: string): string[] {
  const clean = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\u2028\u2029]/g, "\n")
    .replaceAll(/[^\P{Cc}\n]/gu, " ")
    .trim();
  if (clean === "") return [];
  const lines = clean.split("\n").flatMap((line) => wrap(line.trimEnd(), WIDTH - indent.length));
  return lines
    .filter((line, index) => line !== "" || lines[index - 1] !== "")
    .map((line) => `${indent}//${line === "" ? "" : ` ${line}`}`);
}

function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    let at = rest.lastIndexOf(" ", width);
    // a long word, such as a link, is not broken
    if (at <= 0 || rest.slice(0, at).trim() === "") at = rest.indexOf(" ", width);
    if (at < 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at + 1).trimStart();
  }
  return [...lines, rest];
}
