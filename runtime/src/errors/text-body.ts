/** Reads error bodies that are not JSON. */
import { subcodeOf } from "./error-items.ts";
import type { ErrorReport } from "./error-report.ts";

/** Names of XML elements with an error text, in AWS, SOAP and other formats, the most specific first. */
const TEXT_ELEMENTS = ["Message", "message", "faultstring", "Text", "title", "Details", "detail"] as const;
const CODE_ELEMENTS = ["Code", "code", "faultcode"] as const;

/** The maximum number of elements with the same name that are searched for a text. */
const MAX_STARTS = 5;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/**
 * Reads the beginning of a body that is not JSON: plain text unchanged, the title of HTML, and the XML
 * elements that contain a text or a code. Markup is also recognized by its first character, since many
 * upstreams declare markup as plain text. The result is not sanitized, and markup in it is not interpreted.
 */
export function readTextBody(contentType: string, text: string): ErrorReport {
  const type = contentType.toLowerCase();
  if (/^[\s\ufeff]*</.test(text)) return isHtml(type, text) ? readHtml(text) : readXml(text);
  return /^text\/plain\b/.test(type) ? { text } : {};
}

function isHtml(type: string, text: string): boolean {
  return (
    /^(text\/html|application\/xhtml)\b/.test(type) ||
    /^[\s\ufeff]*<(!doctype html|html|head|body)\b/i.test(text)
  );
}

/** Reads only the title, since the rest of an HTML page is meant for a browser. */
function readHtml(text: string): ErrorReport {
  const title = contentOf(text, "title");
  return title === undefined ? {} : { text: title };
}

function readXml(text: string): ErrorReport {
  const said = firstContent(text, TEXT_ELEMENTS);
  const code = firstContent(text, CODE_ELEMENTS);
  const subcode = subcodeOf(code);
  if (said === undefined && subcode === undefined) return {};
  return { text: said ?? subcode, ...(subcode !== undefined && { subcode }) };
}

function firstContent(text: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    const content = contentOf(text, name);
    if (content !== undefined) return content;
  }
  return undefined;
}

/**
 * Returns the content of the first element with this name, in any namespace, that is not empty. Omits nested
 * elements.
 */
function contentOf(text: string, name: string): string | undefined {
  const flags = name === "title" ? "gi" : "g";
  const starts = text.matchAll(new RegExp(`<(?:[\\w.-]{1,60}:)?${name}(?:\\s[^<>]{0,500})?>`, flags));
  for (const start of starts.take(MAX_STARTS)) {
    const from = start.index + start[0].length;
    const rest = text.slice(from);
    const end = rest.search(new RegExp(`</(?:[\\w.-]{1,60}:)?${name}\\s*>`, flags));
    const content = plainOf(end < 0 ? rest : rest.slice(0, end));
    if (content !== "") return content;
  }
  return undefined;
}

function plainOf(markup: string): string {
  return markup
    .replace(/<!\[CDATA\[(.*?)\]\]>/gs, (_, data: string) => data.replace(/[&<>]/g, escaped))
    .replace(/<[^<>]*>/g, " ")
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, (entity, name: string) => decoded(name) ?? entity)
    .replace(/\s+/g, " ")
    .trim();
}

function escaped(char: string): string {
  return char === "&" ? "&amp;" : char === "<" ? "&lt;" : "&gt;";
}

function decoded(name: string): string | undefined {
  if (!name.startsWith("#")) return ENTITIES.get(name.toLowerCase());
  const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}
