import { createHash } from "node:crypto";
import type { JsonObject } from "../json.ts";

/** The fields that contain HTML or Markdown. */
const MARKUP: readonly string[] = ["answer", "body", "caption", "description", "source"];

const SERVICE_IMAGE = /^https?:\/\/media\.blog\.example\//i;
const HTML_IMAGE = /(<img\b[^>]*?\bsrc\s*=\s*["']?)(https?:\/\/[^\s"'>]+)/gi;
const MARKDOWN_IMAGE = /(!\[[^\]]*\]\()(https?:\/\/[^\s)]+)/g;

function nativeUrl(url: string): string {
  if (SERVICE_IMAGE.test(url)) return url;
  const extension = /\.(gif|jpe?g|png|webp)(?=$|[?#])/i.exec(url)?.[1]?.toLowerCase() ?? "jpg";
  const name = createHash("sha256").update(url).digest("hex").slice(0, 32);
  return `https://media.blog.example/${name}.${extension}`;
}

/** Replaces the addresses of external images in markup with addresses of the service. */
export function nativeImages(markup: string): string {
  const native = (_match: string, before: string, url: string) => before + nativeUrl(url);
  return markup.replace(HTML_IMAGE, native).replace(MARKDOWN_IMAGE, native);
}

/** Returns the fields of a legacy post, with addresses of the service for all images in markup. */
export function withNativeImages(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    MARKUP.includes(name) && typeof value === "string" ? nativeImages(value) : value,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
