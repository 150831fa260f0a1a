import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { BigFeed } from "../testing/big-feed.ts";
import { HostileFeed, type HostilePage } from "../testing/hostile-feed.ts";
import { closeWatching, settled, startWatching } from "../testing/watching.ts";

afterEach(closeWatching);

const NEXT = 61_000;
const DAY = 24 * 3600 * 1000;
/** Longer than any wait between polls. */
const LATER = 2 * DAY;

test("each item of a feed with more items than the maximum is delivered once, even if the feed changes often", async () => {
  const feed = new BigFeed();
  const { watching, clock } = startWatching({ options: { fetch: feed.fetch } });
  feed.add(15_000, 0);
  const watcher = watching();
  await watcher.hasBatches(1);
  for (const [polls, count] of [1, 2, 3].entries()) {
    feed.add(count, 0);
    clock.advance(NEXT);
    await watcher.hasBatches(2 + polls);
  }
  expect(watcher.ids).toEqual([15_001, 15_002, 15_003, 15_004, 15_005, 15_006]);
});

/** Counts the event-loop turns until the work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let [count, isOver] = [0, false];
  const turn = () => {
    count++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  isOver = true;
  return count;
}

test.each([1_000, 5_000, 10_000])(
  "a page of %i new items is read in several event-loop turns",
  async (count) => {
    const feed = new BigFeed();
    feed.add(count, 0);
    const { watching } = startWatching({ options: { fetch: feed.fetch } });
    const turns = await turnsOf(watching({ backlog: true }).hasBatches(1));
    expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 64));
  },
);

const INTERVALS: ReadonlyArray<readonly [header: string, ms: number]> = [
  ["0", 1_000],
  ["0.0001", 1_000],
  ["-1", 60_000],
  ["-0", 60_000],
  ["1e9", 60_000],
  ["soon", 60_000],
  ["", 60_000],
  [",", 60_000],
  ["NaN", 60_000],
  ["90", 90_000],
  [" 90 ", 90_000],
  ["300, 300", 300_000],
  ["30, 300", 300_000],
  ["300,soon", 300_000],
  ["1000000000", DAY],
  ["9".repeat(400), DAY],
];

test.each(INTERVALS)(
  "the interval %j in a response never causes a poll that is too early",
  async (interval, ms) => {
    const feed = new HostileFeed();
    feed.pages = [{ ids: [1], interval }];
    const { watching, clock } = startWatching({ options: { fetch: feed.fetch } });
    const watcher = watching();
    await watcher.hasBatches(1);
    clock.advance(ms - 1);
    await settled();
    expect(feed.requests).toHaveLength(1);
    clock.advance(1_000);
    await settled();
    expect(feed.requests).toHaveLength(2);
  },
);

const page: fc.Arbitrary<HostilePage> = fc.record({
  ids: fc.array(fc.nat(12), { maxLength: 6 }),
  tag: fc.constantFrom(undefined, "", '"same"', '"cut', "plain", 'W/"weak"', `"${"x".repeat(5_000)}"`),
  link: fc.constantFrom(undefined, 1, 2, 3, 4),
  interval: fc.constantFrom(undefined, ...INTERVALS.map(([text]) => text)),
  status: fc.constantFrom(200, 200, 200, 200, 304, 500, 503),
});
const polls = fc.array(fc.array(page, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });

test("no feed makes a watcher receive an item twice, or a poll request more pages than the rule allows", async () => {
  await fc.assert(
    fc.asyncProperty(polls, async (each) => {
      const feed = new HostileFeed();
      const { watching, clock } = startWatching({ options: { fetch: feed.fetch } });
      const watcher = watching({ backlog: true });
      for (const pages of each) {
        feed.pages = pages;
        const before = feed.requests.length;
        clock.advance(LATER);
        await settled();
        expect(feed.requests.length - before).toBeLessThanOrEqual(3);
      }
      expect(new Set(watcher.ids).size).toBe(watcher.ids.length);
      expect(feed.requests.every(({ tag }) => tag === undefined || (tag !== "" && tag.length < 1_025))).toBe(
        true,
      );
      await closeWatching();
    }),
    { numRuns: 60 },
  );
});

test("if two items of a page have the same key, the newer item is delivered", async () => {
  const feed = new HostileFeed();
  feed.pages = [{ ids: [2, 1, 2] }];
  const { watching } = startWatching({ options: { fetch: feed.fetch } });
  const watcher = watching({ backlog: true });
  await watcher.hasBatches(1);
  expect(watcher.batches[0]?.entries.map(({ name }) => name)).toEqual(["1 of 1", "0 of 1"]);
});

test("if a later page of a feed is delayed, the first page is delivered immediately, and the later page when it arrives", async () => {
  const feed = new HostileFeed();
  const { watching, clock } = startWatching({ options: { fetch: feed.fetch } });
  const watcher = watching({ backlog: true });
  for (let poll = 0; poll < 14; poll++) {
    const ids = Array.from({ length: 1_000 }, (_, index) => poll * 1_000 + 1_000 - index);
    feed.pages = [
      { ids, link: 2, tag: '"same"' },
      { ids: [20_000], status: poll < 13 ? 503 : 200 },
    ];
    clock.advance(LATER);
    await feed.asked(2 * (poll + 1));
    await watcher.has(1_000 * (poll + 1));
  }
  await watcher.has(14_001);
  expect(watcher.ids.toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 14_000 }, (_, index) => 1 + index),
    20_000,
  ]);
});

test("an aborted poll counts as a poll, even if watchers come and leave often", async () => {
  const feed = new HostileFeed();
  feed.isSilent = true;
  const { watching, clock } = startWatching({
    options: { fetch: feed.fetch },
    watch: { graceMs: 0, maxFeeds: 1 },
  });
  for (let visit = 0; visit < 20; visit++) {
    const watcher = watching();
    await settled();
    await watcher.leave();
    clock.advance(1);
    await settled();
  }
  expect(feed.requests).toHaveLength(1);
  watching();
  clock.advance(NEXT);
  await settled();
  expect(feed.requests).toHaveLength(2);
});
