/** The anchor that a heading gets in rendered Markdown. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

/** A table; cells are Markdown on one line. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map(cell).join(" | ")} |`)
    .join("\n");
}

function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}

/** Text as code; a backtick in it takes longer fences (CommonMark section 6.1). */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Blocks of Markdown, each set off by an empty line. */
export function page(...blocks: readonly string[]): string {
  const parts = blocks.map((block) => block.trim()).filter((block) => block !== "");
  return `${parts.join("\n\n")}\n`;
}
