import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { isObject, type JsonObject } from "../json.ts";
import { ask, BEARER, KEY } from "../testing/client.ts";
import { COMMUNITIES } from "./communities.ts";
import { CREDENTIALS } from "./credentials.ts";

let sandbox: Sandbox;
let blocks: JsonObject[];
let legacy: JsonObject[];

async function all(query: string): Promise<JsonObject[]> {
  const posts: JsonObject[] = [];
  let url = `/v2/blog/demo/posts?${query}&${KEY}`;
  while (url !== "") {
    const { response } = (await ask(sandbox.url + url)).json;
    posts.push(...response.posts);
    url = response._links ? `${response._links.next.href}&${KEY}` : "";
  }
  return posts;
}

beforeAll(async () => {
  sandbox = await startSandbox();
  blocks = await all("npf=true");
  legacy = await all("npf=false");
});
afterAll(() => sandbox.close());

/** Yields every object in a value, at any depth. */
function* objects(value: unknown): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* objects(item);
  if (!isObject(value)) return;
  yield value;
  for (const item of Object.values(value)) yield* objects(item);
}

const list = (posts: JsonObject[], key: string) =>
  posts.flatMap((post) => (Array.isArray(post[key]) ? post[key] : [])).filter(isObject);
const kinds = (items: JsonObject[], key = "type") =>
  new Set(items.map((item) => item[key]).filter((kind) => kind !== undefined));

test("the seed contains at least 45 published posts, of every type", () => {
  expect(legacy.length).toBeGreaterThanOrEqual(45);
  expect([...kinds(legacy)].toSorted()).toEqual([
    "answer",
    "audio",
    "chat",
    "link",
    "photo",
    "quote",
    "text",
    "video",
  ]);
  expect(legacy.filter((post) => post.is_blocks_post_format).length).toBeGreaterThanOrEqual(10);
});

test("a double cannot represent any id exactly", () => {
  for (const post of legacy) expect(String(Number(post.id_string))).not.toBe(post.id_string);
});

test("the seed contains every kind of block, layout, inline format and attribution", () => {
  const types = kinds(list(blocks, "content"));
  for (const type of ["text", "image", "link", "audio", "video", "paywall", "poll", "hologram"]) {
    expect(types).toContain(type);
  }
  expect([...kinds(list(blocks, "layout"))].toSorted()).toEqual(["ask", "rows", "spiral"]);
  const subtypes = kinds(list(blocks, "content"), "subtype");
  for (const subtype of [
    "heading1",
    "heading2",
    "quirky",
    "quote",
    "indented",
    "chat",
    "ordered-list-item",
    "unordered-list-item",
  ]) {
    expect(subtypes).toContain(subtype);
  }
  const formats = kinds(list(list(blocks, "content"), "formatting"));
  for (const type of ["bold", "italic", "strikethrough", "small", "link", "mention", "color"]) {
    expect(formats).toContain(type);
  }
  const attributions = kinds([...objects(blocks)].map((item) => item.attribution).filter(isObject));
  for (const type of ["post", "link", "app", "blog"]) expect(attributions).toContain(type);
});

test("the seed contains the unusual shapes that readers must accept", () => {
  const found = (test: (item: JsonObject) => boolean) => [...objects([blocks, legacy])].some(test);
  expect(found((item) => Array.isArray(item.attribution) && item.attribution.length === 0)).toBe(true);
  expect(found((item) => item.embed_code === false)).toBe(true);
  expect(found((item) => isObject(item.filmstrip))).toBe(true);
  expect(
    found((item) => typeof item.year === "string") && found((item) => typeof item.year === "number"),
  ).toBe(true);
  expect(found((item) => typeof item.broken_blog_name === "string")).toBe(true);
  expect(found((item) => isObject(item.colors) && typeof item.colors.c2 === "number")).toBe(true);
  expect(found((item) => item.title === null)).toBe(true);
});

test("the seed contains photosets, single photos, and photos with EXIF", () => {
  const photos = legacy.filter((post) => post.type === "photo" && !post.is_blocks_post_format);
  expect(photos.some((post) => post.photoset_layout === "21")).toBe(true);
  expect(photos.some((post) => Array.isArray(post.photos) && post.photos.length === 1)).toBe(true);
  expect([...objects(photos)].some((item) => isObject(item.exif) && item.exif.ISO === 200)).toBe(true);
});

test("legacy trails contain text, and block trails contain arrays", () => {
  for (const item of list(legacy, "trail")) expect(typeof item.content).toBe("string");
  for (const item of list(blocks, "trail")) expect(Array.isArray(item.content)).toBe(true);
});

test("the seed contains posts in every unpublished state", async () => {
  const get = async (path: string) =>
    (await ask(`${sandbox.url}/v2/blog/demo${path}`, { headers: BEARER })).json.response.posts;
  const queue = await get("/posts/queue");
  expect([...kinds(queue, "queued_state")].toSorted()).toEqual(["queued", "scheduled"]);
  expect(await get("/posts/draft")).toHaveLength(20);
  const submissions = await get("/posts/submission");
  expect(kinds(submissions, "state")).toEqual(new Set(["submission"]));
  expect(kinds(submissions, "is_submission")).toEqual(new Set([true]));
  expect(submissions).toHaveLength(3);
  for (const post of submissions) expect("post_author" in post).toBe(!("anonymous_email" in post));
});

test("the README lists every credential, every community, and the posts with a special role", () => {
  const readme = readFileSync(path.resolve(import.meta.dirname, "../../README.md"), "utf8");
  const { callback: _, ...credentials } = CREDENTIALS;
  const communities = Object.values(COMMUNITIES);
  const posts = communities.flatMap((community) =>
    "posts" in community ? Object.values(community.posts) : [],
  );
  const named = communities.flatMap(({ handle, uuid, hash }) => [handle, uuid, hash]);
  for (const text of [...Object.values(credentials), ...posts, ...named]) {
    expect(readme).toContain(`\`${text}\``);
  }
});

test("the README lists the existing submissions and questions", async () => {
  const questions = ["735000000000103930", "735000000000104939", "735000000000105948"];
  const readme = readFileSync(path.resolve(import.meta.dirname, "../../README.md"), "utf8");
  const url = `${sandbox.url}/v2/blog/demo/posts`;
  const { posts } = (await ask(`${url}/submission`, { headers: BEARER })).json.response;
  const told = posts.filter((post: { id_string: string }) => readme.includes(post.id_string));
  for (const id of questions) {
    expect(readme).toContain(id);
    const { response } = (await ask(`${url}/${id}?post_format=npf`, { headers: BEARER })).json;
    expect([response.original_type, response.state]).toEqual(["note", "submission"]);
  }
  const facts = told.map((post: Record<string, unknown>) => [
    post.type,
    post.post_author ?? post.anonymous_name ?? post.asking_name,
    post.is_blocks_post_format,
  ]);
  expect(facts.toSorted()).toEqual([
    ["quote", "A Reader", false],
    ["text", "ada", false],
  ]);
});
