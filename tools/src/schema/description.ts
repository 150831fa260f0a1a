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

/** A text without the line ends that only keep its lines short. Linear in the length of the text. */
export function unwrapped(text: string): string {
  const paragraphs: string[][] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    const paragraph = paragraphs.at(-1);
    if (paragraph !== undefined && !isCode && !OWN_LINE.test(line) && isProse(paragraph)) {
      paragraph.push(line);
    } else {
      paragraphs.push([line]);
    }
    if (FENCE.test(line)) isCode = !isCode;
  }
  return paragraphs.map((lines) => lines.join(" ")).join("\n");
}

/** Whether the next line may belong to the same sentence: an item of a list may go on too. */
function isProse([first = ""]: readonly string[]): boolean {
  return !/^(?:[#|]|```|~~~| |\t|$)/.test(first);
}
