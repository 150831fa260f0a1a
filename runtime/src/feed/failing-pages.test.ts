import { afterEach, expect, test } from "vitest";
import { closeWatching, settled, startWatching, type Watching } from "../testing/watching.ts";

afterEach(closeWatching);

/** Longer than a poll interval with its random delay. */
const NEXT = 61_000;
const LIMITED = { status: 429, headers: { "retry-after": "300" }, page: 2 };

function failing(page: number | readonly number[]) {
  const world = startWatching();
  world.timeline.ids = [1, 2, 3, 4, 5, 6];
  world.timeline.failure = { status: 500, page };
  const polls = async (count: number) => {
    for (let poll = 0; poll < count; poll++) {
      world.clock.advance(NEXT);
      await settled();
    }
  };
  return { ...world, polls };
}

const saidOf = ({ batches }: Watching) =>
  batches.flatMap(({ entries, gap, late, heartbeat }) =>
    heartbeat === undefined ? [{ ids: entries.map(({ id }) => Number(id)), gap, late }] : [],
  );

test("a stream starts with the readable pages and a gap, and later receives the other pages as late events", async () => {
  const { timeline, watching, polls } = failing(2);
  const [live, backlog] = [watching(), watching({ backlog: true })];
  await settled();
  expect(saidOf(live)).toEqual([{ ids: [], gap: true, late: false }]);
  expect(saidOf(backlog)).toEqual([{ ids: [5, 6], gap: true, late: false }]);
  timeline.add(7);
  await polls(1);
  expect([live.ids, backlog.ids]).toEqual([[7], [5, 6, 7]]);
  timeline.failure = undefined;
  await polls(1);
  timeline.add(8);
  await polls(1);
  const recovered = [
    { ids: [3, 4], gap: false, late: true },
    { ids: [8], gap: false, late: false },
  ];
  expect(saidOf(live).slice(2)).toEqual(recovered);
  expect(saidOf(backlog).slice(2)).toEqual(recovered);
});

test("the first page is polled at its interval while a failing later page is requested less and less often", async () => {
  const { timeline, watching, polls } = failing(2);
  watching();
  await settled();
  await polls(31);
  const asked = (page: number) => timeline.requests.filter((each) => each.page === page).length;
  expect([asked(1), asked(2), asked(3)]).toEqual([32, 6, 0]);
});

test("heartbeats report the failure of a page, from the poll in which it fails to the poll that reads it", async () => {
  const { timeline, watching, polls } = failing(3);
  timeline.failure = undefined;
  const watcher = watching({ heartbeatMs: 30_000 });
  const failure = () =>
    watcher.batches.findLast(({ heartbeat }) => heartbeat !== undefined)?.heartbeat?.failure;
  await settled();
  timeline.failure = { status: 500, page: 3 };
  for (let poll = 0; poll < 5; poll++) {
    timeline.add(10 + poll);
    await polls(1);
    expect(failure()).toMatchObject({ reason: "INTERNAL_SERVER_ERROR" });
  }
  timeline.failure = undefined;
  await polls(16);
  expect(failure()).toBeUndefined();
});

test("a stream that starts from an id or a token waits while the named event may be on a failing page", async () => {
  const before = startWatching();
  before.timeline.ids = [1, 2, 3, 4];
  const known = before.watching({ backlog: true });
  await settled();
  const { timeline, watching, polls } = failing(2);
  const [byId, byToken, unknown, found] = [
    watching({ afterId: "4" }),
    watching({ resumeToken: known.token }),
    watching({ afterId: "99" }),
    watching({ afterId: "5" }),
  ];
  await polls(3);
  expect([byId, byToken, unknown].map(({ batches }) => batches)).toEqual([[], [], []]);
  expect(saidOf(found)).toEqual([{ ids: [6], gap: false, late: false }]);
  timeline.failure = undefined;
  await polls(4);
  const newer = [{ ids: [5, 6], gap: false, late: false }];
  expect([saidOf(byId), saidOf(byToken)]).toEqual([newer, newer]);
  expect(saidOf(unknown)).toEqual([{ ids: [1, 2, 3, 4, 5, 6], gap: true, late: false }]);
});

test("a waiting stream keeps its position when the process ends", async () => {
  const before = startWatching();
  before.timeline.ids = [1, 2, 3, 4];
  const known = before.watching({ backlog: true });
  await settled();
  const { watching, rest } = failing(2);
  watching();
  const waiting = watching({ resumeToken: known.token });
  await settled();
  rest.drain();
  await waiting.over;
  expect(waiting.batches).toEqual([]);
});

test("a gap is reported if a failing page may have contained new events and the first page contained no known event", async () => {
  const { timeline, clock, watching, polls } = failing(2);
  timeline.failure = undefined;
  const watcher = watching();
  await settled();
  timeline.failure = { status: 500, page: 2 };
  for (let id = 7; id <= 12; id++) timeline.add(id);
  await polls(1);
  expect(saidOf(watcher).slice(1)).toEqual([{ ids: [11, 12], gap: true, late: false }]);
  timeline.failure = undefined;
  for (let id = 13; id <= 14; id++) timeline.add(id);
  clock.advance(NEXT);
  await settled();
  expect(saidOf(watcher).slice(2)).toEqual([
    { ids: [9, 10], gap: false, late: true },
    { ids: [13, 14], gap: false, late: false },
  ]);
});

test("a rate limit on a later page applies to the whole feed", async () => {
  const { timeline, clock, watching } = failing(2);
  timeline.failure = LIMITED;
  const watcher = watching({ backlog: true });
  await settled();
  const asked = timeline.requests.length;
  clock.advance(299_000);
  await settled();
  expect([timeline.requests.length, watcher.ids]).toEqual([asked, [5, 6]]);
  clock.advance(2_000);
  await settled();
  expect(timeline.requests.length).toBeGreaterThan(asked);
});

test("a permanent error of a later page ends the streams", async () => {
  const { timeline, watching } = failing(2);
  timeline.failure = { status: 404, page: 2 };
  const watcher = watching({ backlog: true });
  await watcher.over;
  expect(String(watcher.error)).toContain("404");
});
