import { unmarked } from "./erasable.ts";

/**
 * Returns the lines of a JSDoc block, given its text with line ends; an empty list for an empty text. A
 * sequence that would end the comment, or be an insertion point, is split.
 */
export function docComment(text: string, indent = ""): string[] {
  if (text.trim() === "") return [];
  const safe = unmarked(text)
    .replaceAll("*/", "*\\/")
    .replaceAll("@@protoc_insertion_point", "@ @protoc_insertion_point");
  const lines = safe.split(/\r\n|[\n\r\u2028\u2029]/);
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  const inner = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**\n${inner.join("\n")}\n${indent} */`];
}

/** Appends the origin of an element to its comment: `rpc blog.v1.BlogService.GetPost`. */
export function withProvenance(text: string, source: string): string {
  return text === "" ? `@generated from ${source}` : `${text}\n\n@generated from ${source}`;
}
