import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TimelineType } from "../../gen/community/v1/timeline_pb.ts";
import { all, type BlogWorld, startBlogWorld, WAYS } from "../blog/world.ts";

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld({ strict: true });
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const gardeners = { communityHandle: "gardeners" };

function expectDistinct(keys: readonly unknown[], atLeast: number): void {
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.length).toBeGreaterThanOrEqual(atLeast);
}

test.each(WAYS)("streams for a user end without duplicates, by %s", async (way) => {
  const { users, posts } = world.api(way);
  for (const npf of [false, true]) {
    expectDistinct(
      (await all(users.streamDashboard({ npf }))).map(({ id }) => id),
      21,
    );
  }
  expectDistinct(
    (await all(users.streamLikes({ limit: 7 }))).map(({ id }) => id),
    21,
  );
  expectDistinct(
    (await all(users.streamFollowing({}))).map(({ name }) => name),
    21,
  );
  expectDistinct(
    (await all(posts.streamTaggedPosts({ tag: "seed" }))).map(({ id }) => id),
    21,
  );
  expect(world.differences).toEqual([]);
});

test.each(WAYS)("streams of a community end without duplicates, by %s", async (way) => {
  const { communities } = world.api(way);
  const members = await all(communities.streamMembers(gardeners));
  expectDistinct(
    members.map(({ identity }) => identity.value?.name),
    21,
  );
  for (const type of [TimelineType.RECENT, TimelineType.DISCOVER, TimelineType.POLLS]) {
    const elements = await all(communities.streamTimeline({ ...gardeners, type }));
    const ids = elements.flatMap(({ element, displayType }) =>
      element.case === "post" && displayType === "" ? [element.value.id] : [],
    );
    expectDistinct(ids, 1);
  }
  world.credentials = { oauth2: { accessToken: "ada-user-access-token" } };
  const invitations = await all(communities.streamInvitations({ communityHandle: "night-sky" }));
  expectDistinct(
    invitations.map(({ recipient }) => recipient?.name),
    21,
  );
  expect(world.differences).toEqual([]);
});
