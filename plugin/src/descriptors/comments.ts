import type { AnyDesc } from "@bufbuild/protobuf";
import { indexOf } from "../diagnostics/position.ts";
import { fileOf, sourcePath } from "../diagnostics/source-path.ts";

/**
 * Returns the comment above an element in its .proto file, without comment marks; an empty string if the
 * element has no comment.
 */
export function commentOf(desc: Exclude<AnyDesc, { kind: "file" }>): string {
  const location = indexOf(fileOf(desc)).get(sourcePath(desc).join("."));
  const text = location?.leadingComments || location?.trailingComments || "";
  return text
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.replace(/^ /, "").trimEnd())
    .join("\n")
    .trim();
}
