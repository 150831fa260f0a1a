import type { Call } from "../dispatch/call.ts";
import { reject } from "../http/response.ts";
import { isObject, type JsonObject, writeJson } from "../json.ts";
import { type BlockContext, checkContent } from "../npf/blocks.ts";
import { invalid } from "../npf/check.ts";
import { checkLayout, trimEnds } from "../npf/layout.ts";
import { NPF_LIMITS } from "../npf/limits.ts";
import { Uploads } from "../npf/media.ts";
import { findBlog } from "../store/blogs.ts";
import type { PostState } from "../store/posts.ts";
import { blogReference } from "../view/blog-object.ts";

/** The values of `state` in requests, and the states that result from them. */
const STATES: Record<string, PostState> = {
  published: "published",
  queue: "queued",
  draft: "draft",
  private: "private",
  unapproved: "submission",
};

/** Returns the `state` in a request, or `undefined` if there is none. Throws 400 for an unknown state. */
export function stateOf(call: Call, fail: (detail: string) => Error = invalid): PostState | undefined {
  const value = call.input.text("state");
  if (value === undefined || value === "") return undefined;
  const state = STATES[value];
  if (!state) throw fail(`Invalid state: ${value}`);
  return state;
}

/** Returns `tags`, which is a comma-separated string or an array of strings. */
export function tagsOf(call: Call): string[] {
  const items = call.input.list("tags");
  const several = Array.isArray(call.input.value("tags")) || items.length > 1;
  const tags = several ? items : (items[0] ?? "").split(",");
  return tags.map((tag) => tag.trim().replace(/^#/, "")).filter((tag) => tag !== "");
}

function moment(call: Call, name: string): number | undefined {
  const value = call.input.text(name);
  if (value === undefined || value === "" || value === "now") return undefined;
  const iso = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|GMT|[+-]\d\d:?\d\d))?)?$/.test(value);
  const seconds = iso
    ? Math.floor(Date.parse(value.replace(/ ?GMT$/, "Z").replace(" ", "T")) / 1000)
    : Number.NaN;
  if (!Number.isFinite(seconds)) throw invalid(`Invalid ${name}: ${value}`);
  return seconds;
}

/**
 * Returns the times in a request: `publish_on`, only for the queue and in the future, and `date`, in the
 * past.
 */
export function timesOf(
  call: Call,
  state: PostState,
): { publishOn: number | null; date: number | undefined } {
  const now = call.world.clock.seconds();
  const publishOn = state === "queued" ? moment(call, "publish_on") : undefined;
  if (publishOn !== undefined && publishOn <= now) throw invalid("publish_on is not in the future");
  const date = moment(call, "date");
  if (date !== undefined && date > now) throw invalid("date is not in the past");
  return { publishOn: publishOn ?? null, date };
}

/** The checked content of a request to create or edit a post, with its uploads. */
export interface Draft {
  readonly content: JsonObject[];
  readonly layout: JsonObject[];
  readonly uploads: Uploads;
}

/** Reads and checks `content` (or uses `kept` instead), `layout` and the media parts. */
export function draftOf(call: Call, kept?: unknown[]): Draft {
  const { world, body, input } = call;
  const hasJson = body.parts.some((part) => part.name === "json");
  const uploads = new Uploads(
    body.parts.filter((part) => (hasJson ? part.name !== "json" : part.text === undefined)),
    world.limits,
  );
  const context: BlockContext = {
    uploads,
    now: world.clock.seconds(),
    mention: (uuid) => {
      const blog = findBlog(world.db, uuid);
      return blog && blogReference(blog);
    },
  };
  const blocks = kept ? kept.filter(isObject) : checkContent(input.json("content"), context);
  uploads.requireAllUsed();
  const layouts = checkLayout(input.json("layout"), blocks, world.rules.carouselsAllowed);
  const { content, layout } = trimEnds(blocks, layouts);
  if (Buffer.byteLength(writeJson({ content, layout })) > NPF_LIMITS.postBytes) {
    throw invalid("The post exceeds 1 MB");
  }
  return { content, layout, uploads };
}

/** Returns the fields of a request that responses repeat unchanged. */
export function extraOf(call: Call): JsonObject {
  const { input } = call;
  const extra: JsonObject = {};
  const source = input.text("source_url");
  if (source) {
    Object.assign(extra, {
      source_url: source,
      source_title: source.replace(/^https?:\/\//, "").split("/")[0],
    });
  }
  const reblog = input.oneOf("interactability_reblog", ["everyone", "noone"], "everyone");
  if (input.has("interactability_reblog")) extra.interactability_reblog = reblog;
  if (input.has("has_community_label") || input.has("community_label_categories")) {
    const categories = input.list("community_label_categories");
    const has = input.flag("has_community_label", categories.length > 0);
    extra.community_labels = { has_community_label: has, categories };
  }
  if (input.has("can_be_tipped")) extra.can_be_tipped = input.flag("can_be_tipped");
  if (input.flag("is_private")) extra.is_private_answer = true;
  input.flag("send_to_social");
  return extra;
}

/** Returns `slug`, or a slug that consists of the first words of the content. */
export function slugOf(call: Call, content: readonly JsonObject[]): string {
  const given = call.input.text("slug");
  const words = content.find((block) => typeof block.text === "string")?.text;
  const source = given ?? String(words ?? "");
  return source
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
}

/** Returns a 400 without a subcode, for missing required data. */
export function missing(what: string): Error {
  return reject(400, `Missing required data: ${what}`);
}
