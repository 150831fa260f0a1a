import { isObject, type JsonObject } from "../json.ts";
import type { LegacyType } from "../store/posts.ts";
import { escapeHtml, formatText } from "./html.ts";

type Block = JsonObject;

/** Returns the legacy type of a block-based post. The first matching type is used. */
export function legacyType(content: readonly unknown[], layout: readonly unknown[]): LegacyType {
  const blocks = content.filter(isObject);
  const has = (type: string, subtype?: string) =>
    blocks.filter((block) => block.type === type && (subtype === undefined || block.subtype === subtype))
      .length;
  if (layout.some((item) => isObject(item) && item.type === "ask")) return "answer";
  if (has("video") > 0) return "video";
  if (has("image") > 0) return "photo";
  if (has("audio") > 0) return "audio";
  if (has("text", "quote") > 0) return "quote";
  if (has("text", "chat") > 1) return "chat";
  if (has("link") > 0) return "link";
  return "text";
}

const TEXT_TAGS: Record<string, string> = {
  heading1: "h1",
  heading2: "h2",
  quote: "blockquote",
  indented: "blockquote",
  "ordered-list-item": "li",
  "unordered-list-item": "li",
};

/** Renders a block as HTML, on a best-effort basis. */
function blockHtml(block: Block): string {
  if (block.type === "text") {
    const tag = TEXT_TAGS[String(block.subtype)] ?? "p";
    const formatting = Array.isArray(block.formatting) ? block.formatting : [];
    return `<${tag}>${formatText(String(block.text ?? ""), formatting)}</${tag}>`;
  }
  if (block.type === "image") {
    const image = media(block)[0];
    return `<figure><img src="${escapeHtml(String(image?.url ?? ""))}" alt="${escapeHtml(String(block.alt_text ?? ""))}"></figure>`;
  }
  if (block.type === "link") {
    const url = escapeHtml(String(block.url ?? ""));
    return `<p><a href="${url}">${escapeHtml(String(block.title ?? block.url ?? ""))}</a></p>`;
  }
  if (block.type === "audio" || block.type === "video") {
    return String(
      block.embed_html ??
        `<p><a href="${escapeHtml(String(block.url ?? media(block)[0]?.url ?? ""))}">${block.type}</a></p>`,
    );
  }
  if (block.type === "poll") return `<p>${escapeHtml(String(block.question ?? ""))}</p>`;
  return "";
}

/** Returns the media objects of a block, which contains one or several. */
function media(block: Block): JsonObject[] {
  const items = Array.isArray(block.media) ? block.media : [block.media];
  return items.filter(isObject);
}

const html = (blocks: readonly Block[]) => blocks.map(blockHtml).join("");
const words = (block: Block | undefined) => String(block?.text ?? "");

function photos(blocks: readonly Block[]): JsonObject {
  const images = blocks.filter((block) => block.type === "image");
  const sizes = (block: Block) =>
    media(block).map((item) => ({ width: item.width ?? 540, height: item.height ?? 405, url: item.url }));
  return {
    caption: html(blocks.filter((block) => block.type !== "image")),
    width: media(images[0] ?? {})[0]?.width ?? 540,
    height: media(images[0] ?? {})[0]?.height ?? 405,
    photos: images.map((block) => ({
      caption: block.caption ?? "",
      original_size: sizes(block)[0],
      alt_sizes: sizes(block),
    })),
  };
}

function chat(blocks: readonly Block[]): JsonObject {
  const dialogue = blocks
    .filter((block) => block.subtype === "chat")
    .map((block) => {
      const [name = "", ...rest] = words(block).split(":");
      return rest.length === 0
        ? { name: "", label: "", phrase: words(block) }
        : { name: name.trim(), label: `${name.trim()}:`, phrase: rest.join(":").trim() };
    });
  return { title: "", body: blocks.map(words).join("\n"), dialogue };
}

function answer(blocks: readonly Block[], layout: readonly unknown[]): JsonObject {
  const ask = layout.filter(isObject).find((item) => item.type === "ask") ?? {};
  const asked = new Set((Array.isArray(ask.blocks) ? ask.blocks : []).map(Number));
  const attribution = isObject(ask.attribution) ? ask.attribution : {};
  const asker = isObject(attribution.blog) ? attribution.blog : {};
  return {
    asking_name: asker.name ?? "Anonymous",
    asking_url: asker.url ?? null,
    question: html(blocks.filter((_, i) => asked.has(i))),
    answer: html(blocks.filter((_, i) => !asked.has(i))),
  };
}

/** Converts block-based content to the legacy fields of its type. */
export function blocksToLegacy(
  type: LegacyType,
  content: readonly unknown[],
  layout: readonly unknown[],
): JsonObject {
  const blocks = content.filter(isObject);
  const found = (kind: string) => blocks.find((block) => block.type === kind);
  const others = (kind: string) => html(blocks.filter((block) => block !== found(kind)));
  if (type === "photo") return photos(blocks);
  if (type === "chat") return chat(blocks);
  if (type === "answer") return answer(blocks, layout);
  if (type === "quote") {
    const quote = blocks.find((block) => block.subtype === "quote");
    return { text: escapeHtml(words(quote)), source: html(blocks.filter((block) => block !== quote)) };
  }
  if (type === "link") {
    const link = found("link") ?? {};
    return {
      title: link.title ?? "",
      url: link.url,
      description: others("link"),
      link_author: link.author ?? null,
      excerpt: link.description ?? null,
      publisher: link.site_name ?? null,
      photos: [],
    };
  }
  if (type === "video") {
    const video = found("video") ?? {};
    const code = typeof video.embed_html === "string" ? { embed_code: video.embed_html } : {};
    return {
      caption: others("video"),
      video_url: video.url ?? media(video)[0]?.url ?? null,
      video_type: video.provider ?? "native",
      html5_capable: true,
      player: [250, 400, 500].map((width) => ({ width, ...code })),
    };
  }
  if (type === "audio") {
    const audio = found("audio") ?? {};
    return {
      caption: others("audio"),
      player: audio.embed_html ?? "",
      plays: 0,
      artist: audio.artist ?? null,
      album: audio.album ?? null,
      track_name: audio.title ?? null,
      audio_url: audio.url ?? media(audio)[0]?.url ?? null,
      audio_type: audio.provider ?? "native",
      is_external: audio.provider !== "native",
    };
  }
  const heading = blocks[0]?.subtype === "heading1" ? words(blocks[0]) : null;
  return { title: heading, body: html(heading === null ? blocks : blocks.slice(1)) };
}
