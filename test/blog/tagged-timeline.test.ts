/** Tests posts with the same timestamp, because the service selects pages by timestamp, in whole seconds. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { all, type BlogWorld, startBlogWorld } from "./world.ts";

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld();
});
afterAll(() => world.close());

const CONTENT = [{ block: { case: "text", value: { text: "a" } } } as const];

test("property: a stream of tagged posts delivers every post once, even if many have the same timestamp", async () => {
  const { posts } = world.api("in-process");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 8 }),
      async (seconds, limit) => {
        world.reset();
        world.sandbox.clock.freeze();
        const ids: bigint[] = [];
        for (const count of seconds) {
          for (let index = 0; index < count; index++) {
            const { id } = await posts.createPost({
              blogIdentifier: "demo",
              content: CONTENT,
              tags: ["crowded"],
            });
            ids.push(id);
          }
          world.sandbox.clock.advance(1000);
        }
        world.differences.length = 0;
        const streamed = (await all(posts.streamTaggedPosts({ tag: "crowded", limit }))).map(({ id }) => id);
        const lost = world.differences.reduce((sum, { counts }) => sum + counts.lost, 0);
        expect(new Set(streamed).size).toBe(streamed.length);
        if (seconds.every((count) => count < limit)) expect(lost).toBe(0);
        if (lost === 0) expect(streamed.toSorted()).toEqual(ids.toSorted());
        if (seconds.some((count) => count > limit)) expect(lost).toBeGreaterThan(0);
      },
    ),
    { numRuns: 20 },
  );
});
