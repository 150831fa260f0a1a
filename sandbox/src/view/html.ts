import { isObject, type JsonObject } from "../json.ts";

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Returns the plain text of HTML, without tags and with common entities decoded. */
export function stripHtml(html: string): string {
  return html
    .replace(/<\/(p|div|h\d|li|blockquote)>\s*(?=<)/gi, "\n")
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

/** Converts the subset of Markdown that the seeded posts use: emphasis, links, paragraphs. */
export function markdownToHtml(source: string): string {
  return source
    .split(/\n{2,}/)
    .map((block) => `<p>${inlineMarkdown(escapeHtml(block))}</p>`)
    .join("");
}

function inlineMarkdown(text: string): string {
  return text
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\*([^*]+)\*/g, "<em>$1</em>")
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replaceAll("\n", "<br>");
}

const SIMPLE_TAGS: Record<string, string> = {
  bold: "strong",
  italic: "em",
  strikethrough: "del",
  small: "small",
};

function tags(format: JsonObject): [open: string, close: string] {
  const type = String(format.type);
  const simple = SIMPLE_TAGS[type];
  if (simple) return [`<${simple}>`, `</${simple}>`];
  if (type === "link") return [`<a href="${escapeHtml(String(format.url ?? ""))}">`, "</a>"];
  if (type === "color") return [`<span style="color: ${escapeHtml(String(format.hex ?? ""))}">`, "</span>"];
  if (type === "mention" && isObject(format.blog)) {
    return [`<a class="mention" href="${escapeHtml(String(format.blog.url ?? ""))}">`, "</a>"];
  }
  return ["", ""];
}

/** Renders text with inline formats as HTML. The positions of the formats count code points. */
export function formatText(text: string, formatting: readonly unknown[]): string {
  const points = Array.from(text);
  const formats = formatting.filter(isObject);
  let out = "";
  for (let i = 0; i <= points.length; i++) {
    for (const format of formats.toReversed()) if (Number(format.end) === i) out += tags(format)[1];
    for (const format of formats) if (Number(format.start) === i) out += tags(format)[0];
    if (i < points.length) out += escapeHtml(points[i] ?? "");
  }
  return out;
}
