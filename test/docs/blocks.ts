/** A fenced block of a Markdown page. */
export interface Block {
  /** The first word after the fence, such as `sh`. */
  readonly language: string;
  readonly text: string;
  /** The file name, if the line before the block is only a file name: `` `buf.yaml`: ``. */
  readonly file: string | undefined;
}

/** Returns the blocks below a heading in order, up to the next heading of the same or a higher level. */
export function blocksBelow(markdown: string, heading: string): Block[] {
  return blocksOf(sectionBelow(markdown, heading));
}

/** Returns all blocks of a page, in order. */
export function blocksOf(markdown: string): Block[] {
  const fences = markdown.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```$/gms);
  return [...fences].map(([, file, language = "", text = ""]) => ({ file, language, text }));
}

function sectionBelow(markdown: string, heading: string): string {
  const start = markdown.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`expected the heading "${heading}", got none`);
  const body = markdown.slice(start + heading.length + 1);
  const level = heading.indexOf(" ");
  // A heading is a line outside of blocks. Inside a block, such a line is a comment.
  let fenced = false;
  let end = 0;
  for (const line of body.split("\n").slice(1)) {
    if (line.startsWith("```")) fenced = !fenced;
    const marks = /^#+(?= )/.exec(line)?.[0].length ?? Number.POSITIVE_INFINITY;
    if (!fenced && marks <= level) return body.slice(0, end + 1);
    end += line.length + 1;
  }
  return body;
}
