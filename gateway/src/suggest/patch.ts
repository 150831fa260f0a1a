/** Changes lines of a text, and shows the changes as a unified diff. */

/** Lines to insert at an offset of a text. */
export interface Insertion {
  readonly offset: number;
  readonly lines: readonly string[];
}

/** A line of a text that other lines follow, or that they replace. */
interface Change {
  /** The index of the line. */
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const CONTEXT = 3;

/**
 * Returns a text with additional lines, and the diff. Lines follow the line of their offset, if only a
 * comment is left of that line. Otherwise, the line is split there. The rest of the text does not change.
 *
 * @param file the path in the diff
 */
export function patched(text: string, insertions: readonly Insertion[], file: string) {
  const eol = /\r\n/.test(text) ? "\r\n" : "\n";
  const lines = text.split(/(?<=\n)/);
  const starts = lines.map(() => 0);
  for (let at = 1; at < lines.length; at++) starts[at] = (starts[at - 1] ?? 0) + (lines[at - 1]?.length ?? 0);
  const byLine = new Map<number, Insertion[]>();
  for (const insertion of insertions.toSorted((a, b) => a.offset - b.offset)) {
    const at = Math.max(
      0,
      starts.findLastIndex((start) => start < insertion.offset),
    );
    byLine.set(at, [
      ...(byLine.get(at) ?? []),
      { ...insertion, offset: insertion.offset - (starts[at] ?? 0) },
    ]);
  }
  const changes = [...byLine].map(([at, own]) => changeOf(at, lines[at] ?? "", own, eol));
  const byAt = new Map(changes.map((change) => [change.at, change]));
  const after = lines.flatMap((line, at) => byAt.get(at)?.added ?? [line]).join("");
  return { text: after, diff: diffOf(lines, changes, file) };
}

function changeOf(at: number, line: string, insertions: readonly Insertion[], eol: string): Change {
  const removed = [line];
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const added: string[] = [];
  let from = 0;
  for (const { offset, lines } of insertions) {
    const rest = line.slice(offset);
    const isLast = /^\s*(?:\/\/.*|\/\*(?:(?!\*\/).)*\*\/\s*)?\r?\n?$/.test(rest);
    const cut = isLast ? line.length : offset;
    const before = line.slice(from, cut);
    if (before.trim() !== "") {
      added.push(from === 0 ? ended(before, eol) : ended(indent + before.trim(), eol));
    }
    added.push(...lines.map((each) => each + eol));
    from = cut;
  }
  const rest = line.slice(from).trimStart();
  if (rest !== "") added.push(indent + rest);
  return { at, removed, added };
}

function ended(text: string, eol: string): string {
  return /\n$/.test(text) ? text : `${text.trimEnd()}${eol}`;
}

function diffOf(lines: readonly string[], changes: readonly Change[], file: string): string {
  const hunks: Change[][] = [];
  for (const change of changes.toSorted((a, b) => a.at - b.at)) {
    const last = hunks.at(-1);
    const isNear = change.at - (last?.at(-1)?.at ?? Number.NEGATIVE_INFINITY) <= 2 * CONTEXT + 1;
    if (isNear) last?.push(change);
    if (!isNear) hunks.push([change]);
  }
  let shift = 0;
  const texts = hunks.map((hunk) => {
    const first = Math.max(0, (hunk[0]?.at ?? 0) - CONTEXT);
    const end = Math.min(lines.length, (hunk.at(-1)?.at ?? 0) + 1 + CONTEXT);
    const byAt = new Map(hunk.map((change) => [change.at, change]));
    const shown = lines.slice(first, end).flatMap((line, index) => {
      const change = byAt.get(first + index);
      if (change === undefined) return [` ${line}`];
      // a line that only gets followers stays context
      const [same, ...added] = change.added;
      const isKept = same === line;
      return isKept
        ? [` ${line}`, ...added.map((each) => `+${each}`)]
        : [`-${line}`, ...change.added.map((each) => `+${each}`)];
    });
    const grown = hunk.reduce((sum, { added, removed }) => sum + added.length - removed.length, 0);
    const head = `@@ -${first + 1},${end - first} +${first + 1 + shift},${end - first + grown} @@\n`;
    shift += grown;
    return (
      head +
      shown.map((line) => (/\n$/.test(line) ? line : `${line}\n\\ No newline at end of file\n`)).join("")
    );
  });
  return `--- a/${file}\n+++ b/${file}\n${texts.join("")}`;
}
