import { gmtDate } from "../clock.ts";
import { randomId } from "../entropy.ts";
import { isObject, type JsonObject } from "../json.ts";
import { arrayOf, codePoints, integerOf, invalid, objectOf, textOf } from "./check.ts";
import { NPF_LIMITS } from "./limits.ts";
import { mediaObject, type Uploads } from "./media.ts";
import { type MentionLookup, textBlock } from "./text-block.ts";

/** The context in which blocks are checked. */
export interface BlockContext {
  readonly mention: MentionLookup;
  readonly uploads: Uploads;
  readonly now: number;
}

function imageBlock(block: JsonObject, context: BlockContext): JsonObject {
  const items = Array.isArray(block.media) ? block.media : [block.media];
  if (items.length === 0 || items[0] === undefined) throw invalid("An image block needs media");
  const media = items
    .map((item) => mediaObject(item, "image", context.uploads))
    .sort((a, b) => Number(b.width ?? 0) - Number(a.width ?? 0));
  const out: JsonObject = { ...block, media };
  for (const name of ["alt_text", "caption"] as const) {
    if (block[name] === undefined || block[name] === null) continue;
    const length = codePoints(textOf(block[name], name));
    if (length > NPF_LIMITS.captionCodePoints) {
      throw invalid(`${name} is longer than ${NPF_LIMITS.captionCodePoints}`);
    }
  }
  if (isObject(block.colors)) {
    for (const [key, color] of Object.entries(block.colors)) {
      if (!/^c\d+$/.test(key) || !/^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(String(color))) {
        throw invalid("Invalid colors");
      }
    }
  }
  return out;
}

function cut(value: unknown): unknown {
  return typeof value === "string"
    ? Array.from(value).slice(0, NPF_LIMITS.linkFieldCodePoints).join("")
    : value;
}

function linkBlock(block: JsonObject): JsonObject {
  const url = textOf(block.url, "link.url");
  if (!/^https?:\/\/[^\s/]/.test(url)) throw invalid(`Invalid link: ${url}`);
  const { display_url: _ignored, ...rest } = block;
  const host = url.replace(/^https?:\/\//, "").split("/")[0] ?? "";
  const bare = Object.keys(rest).every((key) => key === "type" || key === "url");
  const page = bare ? { title: `Page at ${host}`, description: "", author: "", site_name: host } : {};
  const out: JsonObject = { ...rest, ...page, display_url: url };
  for (const name of ["title", "description", "author", "site_name"]) {
    if (name in out) out[name] = cut(out[name]);
  }
  return out;
}

function playable(kind: "audio" | "video", block: JsonObject, context: BlockContext): JsonObject {
  const provider = block.provider === undefined ? "native" : textOf(block.provider, "provider");
  const media = Array.isArray(block.media) ? block.media[0] : block.media;
  if (media === undefined && typeof block.url !== "string") {
    throw invalid(`A block of type ${kind} needs url or media`);
  }
  const out: JsonObject = { ...block, provider };
  if (media !== undefined) out.media = mediaObject(media, kind, context.uploads);
  if (isObject(out.media) && out.url === undefined) out.url = out.media.url;
  if (block.poster !== undefined) {
    const posters = Array.isArray(block.poster) ? block.poster : [block.poster];
    out.poster = posters.map((item) => mediaObject(item, "image", context.uploads));
  }
  return out;
}

function pollBlock(block: JsonObject, context: BlockContext): JsonObject {
  const rule = NPF_LIMITS.pollAnswers;
  const answers = arrayOf(block.answers, "answers").map((item) => objectOf(item, "answer"));
  if (answers.length < rule.min || answers.length > rule.max) {
    throw invalid(`A poll has ${rule.min} to ${rule.max} answers`);
  }
  for (const answer of answers) {
    if (codePoints(textOf(answer.answer_text, "answer_text")) > rule.codePoints) {
      throw invalid("answer_text is too long");
    }
  }
  const settings = objectOf(block.settings ?? {}, "settings");
  const { min, max } = NPF_LIMITS.pollSeconds;
  const expires = Math.min(max, Math.max(min, integerOf(settings.expire_after ?? max, "expire_after")));
  return {
    type: "poll",
    client_id: typeof block.client_id === "string" ? block.client_id : randomId(),
    question: textOf(block.question, "question"),
    answers: answers.map((answer) => ({ client_id: randomId(), ...answer })),
    settings: {
      multiple_choice: false,
      close_status: "closed-after",
      source: "tumblelog",
      ...settings,
      expire_after: expires,
    },
    created_at: gmtDate(context.now),
    timestamp: context.now,
  };
}

function block(value: unknown, context: BlockContext): JsonObject {
  const item = objectOf(value, "content item");
  switch (item.type) {
    case "text":
      return textBlock(item, context.mention);
    case "image":
      return imageBlock(item, context);
    case "link":
      return linkBlock(item);
    case "audio":
    case "video":
      return playable(item.type, item, context);
    case "paywall":
      return { subtype: "cta", is_visible: true, ...item };
    case "poll":
      return pollBlock(item, context);
    default:
      throw invalid(`Unknown block type: ${String(item.type)}`);
  }
}

function atMost(count: number, most: number, what: string): void {
  if (count > most) throw invalid(`${count} ${what}, at most ${most}`);
}

function checkCounts(blocks: readonly JsonObject[], uploads: Uploads): void {
  const of = (type: string) => blocks.filter((item) => item.type === type);
  atMost(blocks.length, NPF_LIMITS.blocks, "blocks");
  atMost(of("text").length, NPF_LIMITS.textBlocks, "text blocks");
  for (const type of ["link", "image", "audio", "video", "poll"] as const) {
    atMost(of(type).length, NPF_LIMITS[type], `${type} blocks`);
  }
  const formats = of("text").flatMap((item) => (Array.isArray(item.formatting) ? item.formatting : []));
  const inline = (type: string) => formats.filter((item) => isObject(item) && item.type === type).length;
  atMost(inline("mention"), NPF_LIMITS.mentions, "mentions");
  atMost(inline("link"), NPF_LIMITS.inlineLinks, "inline links");
  const videos = [...uploads.used.values()].filter((item) => item.kind === "video").length;
  atMost(videos, NPF_LIMITS.uploadedVideos, "uploaded videos");
}

/**
 * Checks `content`, and returns it in the form in which it is stored, without empty text blocks at the
 * beginning and end.
 */
export function checkContent(value: unknown, context: BlockContext): JsonObject[] {
  const items = arrayOf(value, "content");
  atMost(items.length, NPF_LIMITS.blocks, "blocks");
  const blocks = items.map((item) => block(item, context));
  checkCounts(blocks, context.uploads);
  const paywall = blocks.findIndex((item) => item.type === "paywall");
  if (paywall >= 0 && paywall === blocks.length - 1) throw invalid("A block must follow the paywall");
  return blocks;
}
