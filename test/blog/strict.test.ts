import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMUNITY_CASES } from "../community/cases/communities.ts";
import { MEMBER_CASES } from "../community/cases/members.ts";
import { COMMUNITY_POST_CASES } from "../community/cases/posts.ts";
import { FILTER_CASES } from "../user/cases/filters.ts";
import { USER_CASES } from "../user/cases/user.ts";
import { BLOG_CASES } from "./cases/blog.ts";
import { POST_CASES } from "./cases/posts.ts";
import { TAGGED_CASES } from "./cases/tagged.ts";
import { WRITING_CASES } from "./cases/writing.ts";
import { outcomeOf } from "./outcome.ts";
import { all, type BlogWorld, startBlogWorld } from "./world.ts";

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld({ strict: true });
});
afterAll(() => world.close());

const CASES = [
  ...BLOG_CASES,
  ...POST_CASES,
  ...WRITING_CASES,
  ...TAGGED_CASES,
  ...USER_CASES,
  ...FILTER_CASES,
  ...COMMUNITY_CASES,
  ...MEMBER_CASES,
  ...COMMUNITY_POST_CASES,
];
const answered = CASES.filter(({ kind }) => kind === "answer");

test.each(answered)("the response of $endpoint has the declared format: $name", async (each) => {
  expect(await outcomeOf(each, "in-process", world)).toMatchObject({ answer: each.answer });
  expect(world.differences).toEqual([]);
});

test.each(["demo", "ada", "newsroom", "grace"])(
  "all posts of %s have the declared format, as blocks and in the older form",
  async (name) => {
    world.reset();
    const { posts } = world.api("in-process");
    const wanted = {
      blogIdentifier: name,
      reblogInfo: true,
      notesInfo: true,
      blogFields: ["?is_following_you"],
    };
    const legacy = await all(posts.streamPosts(wanted));
    const blocks = await all(posts.streamPosts({ ...wanted, npf: true }));
    expect(blocks.map(({ id }) => id)).toEqual(legacy.map(({ id }) => id));
    expect(world.differences).toEqual([]);
  },
);
