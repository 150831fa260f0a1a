import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PostState } from "../../gen/blog/v1/post_resource_pb.ts";
import { failureOf } from "../end-to-end/failure.ts";
import { type BlogWorld, startBlogWorld, WAYS } from "./world.ts";

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const demo = { blogIdentifier: "demo" };
const CHUNK = 64 * 1024;
const FILM = [
  { block: { case: "video", value: { media: { identifier: "film", type: "video/mp4" } } } } as const,
];

/** Yields the first message, then this many chunks. */
async function* chunked<T extends object>(first: T, count: number) {
  yield first;
  for (let index = 0; index < count; index++) yield { chunk: new Uint8Array(CHUNK).fill(index) };
}

describe.each(WAYS)("by %s", (way) => {
  test("a photo in the older form can have at most 10 MB", async () => {
    const { posts } = world.api(way);
    const photo = (size: number) => {
      const file = { content: new Uint8Array(size), contentType: "image/png", filename: "a.png" };
      return { ...demo, content: { case: "photo" as const, value: { data: [file] } } };
    };
    const { id } = await posts.createLegacyPost(photo(10 * 1024 * 1024));
    expect(id).toBeGreaterThan(0n);
    expect(await failureOf(posts.createLegacyPost(photo(10 * 1024 * 1024 + 1)))).toMatchObject({
      code: "InvalidArgument",
    });
  });

  test("a video is added to a post in blocks, chunk by chunk", async () => {
    const { posts } = world.api(way);
    const first = {
      ...demo,
      content: FILM,
      state: PostState.DRAFT,
      identifier: "film",
      contentType: "video/mp4",
      filename: "a.mp4",
    };
    const { id, state } = await posts.uploadPost(chunked(first, 8));
    expect(state).toBe(PostState.DRAFT);
    expect(world.sandbox.received.last?.size).toBeGreaterThan(8 * CHUNK);
    const { post } = await posts.getPost({ ...demo, postId: id });
    expect(post?.body).toMatchObject({ case: "blocks", value: { content: [{ block: { case: "video" } }] } });
  });

  test("a video is added to a post in the older form, chunk by chunk", async () => {
    const { posts } = world.api(way);
    const first = {
      ...demo,
      caption: "C",
      state: PostState.DRAFT,
      tags: ["a"],
      contentType: "video/mp4",
      filename: "a.mp4",
    };
    const { state } = await posts.uploadLegacyVideo(chunked(first, 8));
    expect(state).toBe(PostState.DRAFT);
    expect(world.sandbox.received.last?.size).toBeGreaterThan(8 * CHUNK);
    expect(world.sandbox.received.last?.text).toContain('name="type"\r\n\r\nvideo');
  });

  test("a media part that is not named in a block is rejected", async () => {
    const first = { ...demo, content: FILM, identifier: "other", contentType: "video/mp4" };
    expect(await failureOf(world.api(way).posts.uploadPost(chunked(first, 1)))).toMatchObject({
      code: "InvalidArgument",
      reason: "NPF_INVALID",
      text: expect.stringContaining("No part is named film"),
    });
  });

  test("a first message without a blog is rejected", async () => {
    expect(await failureOf(world.api(way).posts.uploadPost(chunked({ content: FILM }, 1)))).toMatchObject({
      code: "InvalidArgument",
      text: expect.stringContaining("blog_identifier"),
    });
    expect(world.sandbox.received.total).toBe(0);
  });

  test("a cancelled upload creates no post", async () => {
    const { posts } = world.api(way);
    const controller = new AbortController();
    async function* endless() {
      yield { ...demo, content: FILM, state: PostState.DRAFT, identifier: "film", contentType: "video/mp4" };
      for (;;) {
        yield { chunk: new Uint8Array(CHUNK) };
        if ((world.sandbox.received.last?.size ?? 0) > CHUNK) controller.abort();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const failure = await failureOf(posts.uploadPost(endless(), { signal: controller.signal }));
    expect(failure.code).toBe("Canceled");
    const { blog } = await world.api("in-process").blogs.getBlogInfo(demo);
    expect(blog?.drafts).toBe(23);
  });
});
