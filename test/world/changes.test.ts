import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { ChangeService, type Revisions } from "../gen/world/v1/changes_pb.ts";
import { ChangeServiceRest } from "../gen/world/v1/changes_rest.ts";
import { type Answers, start } from "../rules/world.ts";

async function changes(answers: Answers) {
  const clock = new FakeClock();
  const world = await start(ChangeService, ChangeServiceRest, answers, { clock });
  return { ...world, clock };
}

/** Collects all messages of a stream until the test ends. */
function collect<T>(stream: AsyncIterable<T>): T[] {
  const got: T[] = [];
  const read = async () => {
    for await (const message of stream) got.push(message);
  };
  read().catch(() => undefined);
  return got;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate();
}

const revisions = (...ids: string[]) => ({ json: { data: { revisions: ids.map((uuid) => ({ uuid })) } } });
const idsOf = (batches: readonly Revisions[]) =>
  batches.map(({ revisions, late }) => [late ? "late" : "new", ...revisions.map(({ uuid }) => uuid)]);

test("pages are requested until one is empty, and a late revision on page two is marked as late", async () => {
  const { client, clock, seen } = await changes((request, index) => {
    const page = /page=(\d)/.exec(request.line)?.[1] ?? "1";
    const second = index > 2 ? ["b", "late", "a"] : ["b", "a"];
    const answer = revisions(...(page === "1" ? ["d", "c"] : page === "2" ? second : []));
    return { ...answer, headers: { "poll-after": "10" } };
  });
  const batches = collect(
    client.watchRevisions({ project: "Tea Pots", start: { case: "all", value: true } }),
  );
  await until(() => batches.length === 1 && clock.running > 0);
  clock.advance(11_000);
  await until(() => batches.length === 2);
  expect(idsOf(batches)).toEqual([
    ["new", "a", "b", "c", "d"],
    ["late", "late"],
  ]);
  const path = "GET /projects/tea%20pots/revisions?per=50";
  const poll = [path, `${path}&page=2`, `${path}&page=3`];
  expect(seen.map(({ line }) => line)).toEqual([...poll, ...poll]);
});

test("a feed with one page delivers only later changes, and its resume token may contain non-numeric ids", async () => {
  const first = {
    json: [
      { number: 2, text: "b" },
      { number: 1, text: "a" },
    ],
  };
  const second = {
    json: [
      { number: 3, text: "c" },
      { number: 2, text: "b" },
    ],
  };
  const { client, clock } = await changes([first, second]);
  const batches = collect(client.watchNotices({}));
  await until(() => batches.length === 1 && clock.running > 0);
  clock.advance(299_999);
  expect(batches).toHaveLength(1);
  clock.advance(1_001);
  await until(() => batches.length === 2);
  expect(batches.map(({ notices }) => notices.map(({ number }) => Number(number)))).toEqual([[], [3]]);
});

test("a resume token with non-numeric ids resumes after these items", async () => {
  const { client } = await changes((request) =>
    /page/.test(request.line) ? revisions() : revisions("c", "b", "a"),
  );
  const project = "p";
  const after = collect(client.watchRevisions({ project, start: { case: "after", value: "b" } }));
  await until(() => after.length === 1);
  const again = collect(
    client.watchRevisions({ project, start: { case: "token", value: after[0]?.token ?? "" } }),
  );
  await until(() => again.length === 1);
  expect([idsOf(after), idsOf(again)]).toEqual([[["new", "c"]], [["new"]]]);
});
