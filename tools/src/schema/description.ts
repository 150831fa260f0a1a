import type { AnyDesc } from "@bufbuild/protobuf";
import { commentOf } from "protoc-gen-connect-rest/kit";

/** What the comment of an element says, for a model to read: each paragraph in one line, lists and code as they are. */
export function descriptionOf(desc: Exclude<AnyDesc, { kind: "file" }>): string {
  return unwrapped(commentOf(desc));
}

/** The first paragraph of a description. */
export function summaryOf(desc: Exclude<AnyDesc, { kind: "file" }>): string {
  const [first = ""] = descriptionOf(desc).split("\n\n");
  return first;
}

/** Items of lists, headings, quotations, rows of tables, fences of code, and what is indented. */
const OWN_LINE = /^(?:[-*+#>|]|\d+[.)] |```|~~~| |\t|$)/;
const FENCE = /^(?:```|~~~)/;

/** A text without the line ends that only keep its lines short. */
export function unwrapped(text: string): string {
  const lines: string[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    const before = lines.at(-1);
    const goesOn = before !== undefined && !isCode && !OWN_LINE.test(line) && isProse(before);
    lines.splice(goesOn ? -1 : lines.length, 1, goesOn ? `${before} ${line}` : line);
    if (FENCE.test(line)) isCode = !isCode;
  }
  return lines.join("\n");
}

/** Whether the next line may belong to the same sentence: an item of a list may go on too. */
function isProse(line: string): boolean {
  return !/^(?:[#|]|```|~~~| |\t|$)/.test(line);
}
