import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";
import { closeWatching, settled, startWatching, type Watching } from "../testing/watching.ts";

afterEach(closeWatching);

const errorOf = ({ error }: Watching) => ConnectError.from(error);
const resumeOf = (watching: Watching) => errorOf(watching).findDetails(ResumeSchema)[0]?.token;

test("one caller may use all feeds, but loses its newest feeds to callers that use fewer", async () => {
  let caller = "a";
  const { watching } = startWatching({ watch: { maxFeeds: 4 }, options: { callerOf: () => caller } });
  const begin = async (as: string, owner: string) => {
    caller = as;
    const watcher = watching({ owner });
    await settled();
    return watcher;
  };
  const first = [];
  for (const owner of ["1", "2", "3", "4"]) first.push(await begin("a", owner));
  const rejected = await begin("a", "5");
  expect(errorOf(rejected).message).toContain("the limit of 4 watched feeds is reached");
  const others = [await begin("b", "6"), await begin("b", "7")];
  expect(first.map(({ isOver }) => isOver)).toEqual([false, false, true, true]);
  expect(reasonOf(errorOf(first[3] ?? rejected))).toBe("WATCHERS_EXHAUSTED");
  expect(resumeOf(first[3] ?? rejected)).toBe(first[3]?.token);
  expect(others.map(({ isOver }) => isOver)).toEqual([false, false]);
  const third = await begin("b", "8");
  expect(third.isOver).toBe(true);
});

test("property: a caller that uses less than an equal share of the feeds always gets another feed", async () => {
  const step = fc.record({ caller: fc.constantFrom("a", "b", "c"), owner: fc.nat(9), leaves: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      let caller = "";
      const { watching } = startWatching({ watch: { maxFeeds: 4 }, options: { callerOf: () => caller } });
      const all = [];
      for (const { caller: name, owner, leaves } of steps) {
        caller = name;
        const last = leaves ? all.pop() : undefined;
        await last?.leave();
        if (!leaves) all.push(watching({ owner: String(owner) }));
        await settled();
      }
      caller = "newcomer";
      const newcomer = watching({ owner: "newcomer" });
      await settled();
      expect(newcomer.isOver).toBe(false);
      await closeWatching();
    }),
    { numRuns: 30 },
  );
});
