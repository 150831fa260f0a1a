/** Returns the anchor of a heading in rendered Markdown. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

/** Formats a table, whose cells are Markdown on one line. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map(cell).join(" | ")} |`)
    .join("\n");
}

function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}

/** Formats text as code. Text with a backtick needs longer fences (CommonMark section 6.1). */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Joins blocks of Markdown, with an empty line between them. */
export function page(...blocks: readonly string[]): string {
  const parts = blocks.map((block) => block.trim()).filter((block) => block !== "");
  return `${parts.join("\n\n")}\n`;
}
