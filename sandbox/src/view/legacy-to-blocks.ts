import { isObject, type JsonObject } from "../json.ts";
import type { LegacyType } from "../store/posts.ts";
import { stripHtml } from "./html.ts";

function paragraphs(html: unknown): JsonObject[] {
  const text = stripHtml(typeof html === "string" ? html : "");
  return text === "" ? [] : text.split("\n").map((line) => ({ type: "text", text: line }));
}

const string = (value: unknown) => (typeof value === "string" ? value : "");

function images(fields: JsonObject): JsonObject[] {
  const photos = Array.isArray(fields.photos) ? fields.photos.filter(isObject) : [];
  return photos.map((photo) => {
    const sizes = Array.isArray(photo.alt_sizes) ? photo.alt_sizes.filter(isObject) : [];
    const media = sizes.map((size) => ({ type: "image/jpeg", ...size }));
    const caption = string(photo.caption);
    return {
      type: "image",
      media,
      ...(caption === "" ? {} : { caption }),
      colors: { c0: "a24615", c1: "ffe7ad" },
    };
  });
}

function title(fields: JsonObject): JsonObject[] {
  return string(fields.title) === "" ? [] : [{ type: "text", subtype: "heading1", text: fields.title }];
}

/** Converts the fields of a legacy post to blocks and layouts. */
export function legacyToBlocks(
  type: LegacyType,
  fields: JsonObject,
): { content: JsonObject[]; layout: JsonObject[] } {
  if (type === "answer") {
    const question = paragraphs(fields.question);
    const asker = string(fields.asking_url);
    const attribution = { type: "blog", url: asker, blog: { name: fields.asking_name, url: asker } };
    const ask = { type: "ask", blocks: question.map((_, i) => i), ...(asker === "" ? {} : { attribution }) };
    return { content: [...question, ...paragraphs(fields.answer)], layout: [ask] };
  }
  return { content: blocks(type, fields), layout: photoRows(fields) };
}

function photoRows(fields: JsonObject): JsonObject[] {
  if (typeof fields.photoset_layout !== "string") return [];
  let next = 0;
  const display = Array.from(fields.photoset_layout, (count) => ({
    blocks: Array.from({ length: Number(count) }, () => next++),
  }));
  for (let i = 0; i < paragraphs(fields.caption).length; i++) display.push({ blocks: [next++] });
  return [{ type: "rows", display }];
}

function blocks(type: LegacyType, fields: JsonObject): JsonObject[] {
  if (type === "photo") return [...images(fields), ...paragraphs(fields.caption)];
  if (type === "quote") {
    return [
      { type: "text", subtype: "quote", text: stripHtml(string(fields.text)) },
      ...paragraphs(fields.source),
    ];
  }
  if (type === "link") {
    const link = {
      type: "link",
      url: fields.url,
      title: fields.title,
      description: fields.excerpt ?? "",
      author: fields.link_author ?? "",
      site_name: fields.publisher ?? "",
      display_url: fields.url,
    };
    return [link, ...paragraphs(fields.description)];
  }
  if (type === "chat") {
    const lines = Array.isArray(fields.dialogue) ? fields.dialogue.filter(isObject) : [];
    const said = lines.map((line) => ({
      type: "text",
      subtype: "chat",
      text: `${string(line.label)} ${string(line.phrase)}`,
    }));
    return [...title(fields), ...said];
  }
  if (type === "audio") {
    const audio = {
      type: "audio",
      provider: fields.is_external === true ? string(fields.audio_type) : "native",
      url: fields.audio_url,
      title: fields.track_name ?? "",
      artist: fields.artist ?? "",
      album: fields.album ?? "",
      embed_html: fields.embed ?? fields.player,
    };
    return [audio, ...paragraphs(fields.caption)];
  }
  if (type === "video") {
    const code = Array.isArray(fields.player) ? fields.player.filter(isObject).at(-1)?.embed_code : undefined;
    const video = {
      type: "video",
      provider: string(fields.video_type) || "native",
      url: fields.video_url,
      ...(typeof code === "string" ? { embed_html: code } : {}),
      ...(typeof fields.duration === "number" ? { duration: fields.duration * 1000 } : {}),
    };
    return [video, ...paragraphs(fields.caption)];
  }
  return [...title(fields), ...paragraphs(fields.body)];
}
