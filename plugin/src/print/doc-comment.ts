/** A JSDoc block from lines of text, or nothing where there is no text. */
export function docComment(text: string, indent = ""): string[] {
  if (text.trim() === "") return [];
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
