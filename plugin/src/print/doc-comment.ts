import { unmarked } from "./erasable.ts";

/**
 * Returns a JSDoc block of lines of text, given as one text with line ends; empty without text. A sequence
 * that would end the comment, or be an insertion point, is split.
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

/** Appends the origin of the subject to a comment: `rpc blog.v1.BlogService.GetPost`. */
export function withProvenance(text: string, source: string): string {
  return text === "" ? `@generated from ${source}` : `${text}\n\n@generated from ${source}`;
}
