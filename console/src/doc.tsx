import type { ComponentChildren } from "preact";

/** The text of a comment: paragraphs, indented examples, and `code`. */
export function Doc({ text, brief = false }: { text: string; brief?: boolean }) {
  const paragraphs = text.trim().split(/\n{2,}/);
  if (text.trim() === "") return null;
  return (
    <div class="doc">
      {(brief ? paragraphs.slice(0, 1) : paragraphs).map((paragraph, index) =>
        /^ {4}/.test(paragraph) ? (
          <pre key={index}>{paragraph.replaceAll(/^ {4}/gm, "")}</pre>
        ) : (
          <p key={index}>{inline(paragraph)}</p>
        ),
      )}
    </div>
  );
}

function inline(text: string): ComponentChildren[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}

/** Returns the first sentence of a comment. */
export function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text.trim())?.[0].replaceAll("\n", " ") ?? text.trim();
}
