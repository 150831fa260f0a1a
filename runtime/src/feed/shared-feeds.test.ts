import { afterEach, expect, test } from "vitest";
import type { FeedMember } from "../call/feed-bus.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { MemoryBus } from "../testing/memory-bus.ts";
import { Timeline } from "../testing/timeline.ts";
import { closeWatching, settled, startWatching } from "../testing/watching.ts";
import { decodeFeedEntry, encodeFeedEntry } from "./bus-entry.ts";

afterEach(closeWatching);

const NEXT = 61_000;

function fleet(count: number) {
  const bus = new MemoryBus();
  const timeline = new Timeline();
  const clock = new FakeClock();
  const processes = Array.from({ length: count }, () =>
    startWatching({ timeline, clock, watch: { bus: bus.bus } }),
  );
  return { bus, timeline, clock, processes };
}

test("only one of several processes polls, and the watchers of all processes receive the same events", async () => {
  const { timeline, clock, processes } = fleet(3);
  timeline.ids = [1];
  const watchers = processes.map(({ watching }) => watching());
  await settled();
  timeline.add(2);
  clock.advance(NEXT);
  await settled();
  expect(watchers.map(({ ids }) => ids)).toEqual([[2], [2], [2]]);
  expect(timeline.requests).toHaveLength(2);
  expect(new Set(watchers.map(({ token }) => token)).size).toBe(1);
});

test("a process that joins later starts from the entries on the bus, without polling", async () => {
  const { timeline, processes } = fleet(2);
  timeline.ids = [1, 2, 3];
  processes[0]?.watching();
  await settled();
  const polls = timeline.requests.length;
  const later = processes[1]?.watching({ backlog: true });
  await settled();
  expect([later?.ids, timeline.requests.length]).toEqual([[1, 2, 3], polls]);
});

test("a process that takes over polls after the interval of the last poll has passed, and repeats no event", async () => {
  const { bus, timeline, clock, processes } = fleet(2);
  timeline.ids = [1];
  const watchers = processes.map(({ watching }) => watching());
  await settled();
  const polls = timeline.requests.length;
  clock.advance(20_000);
  bus.takeOver();
  timeline.add(2);
  await settled();
  clock.advance(39_000);
  await settled();
  expect(timeline.requests).toHaveLength(polls);
  clock.advance(2_000);
  await settled();
  expect(timeline.requests).toHaveLength(polls + 1);
  expect(watchers.map(({ ids }) => ids)).toEqual([[2], [2]]);
});

test("a process that takes over during a poll waits as long as after a completed poll", async () => {
  const { bus, timeline, clock, processes } = fleet(2);
  const watchers = processes.map(({ watching }) => watching());
  await settled();
  timeline.gate = new Promise(() => undefined);
  let asked = 0;
  timeline.onRequest = () => asked++;
  clock.advance(NEXT);
  await settled();
  expect(asked).toBe(1);
  timeline.gate = undefined;
  timeline.add(1);
  clock.advance(10_000);
  bus.takeOver();
  await settled();
  clock.advance(49_000);
  await settled();
  expect(asked).toBe(1);
  clock.advance(2_000);
  await settled();
  expect([asked, ...watchers.map(({ ids }) => ids)]).toEqual([2, [1], [1]]);
});

test("a process that takes over from a failing poller waits as long as the failing poller would have waited", async () => {
  const { bus, timeline, clock, processes } = fleet(2);
  timeline.failure = { status: 503, headers: { "retry-after": "600" } };
  const watchers = processes.map(({ watching }) => watching({ heartbeatMs: 20_000 }));
  await settled();
  expect(watchers.map(({ batches }) => batches.at(-1)?.heartbeat?.failure?.reason)).toEqual([
    "SERVICE_UNAVAILABLE",
    "SERVICE_UNAVAILABLE",
  ]);
  bus.takeOver();
  clock.advance(599_000);
  await settled();
  expect(timeline.requests).toHaveLength(1);
  timeline.failure = undefined;
  clock.advance(2_000);
  await settled();
  expect(timeline.requests).toHaveLength(2);
  expect(watchers.map(({ batches }) => batches.at(-1)?.heartbeat?.failure)).toEqual([undefined, undefined]);
});

test("a stream that starts while another process polls is notified of an unreadable page", async () => {
  const { timeline, clock, processes } = fleet(2);
  timeline.ids = [1, 2, 3, 4];
  timeline.failure = { status: 500, page: 2 };
  const first = processes[0]?.watching();
  await settled();
  const [backlog, waiting] = [{ backlog: true }, { afterId: "2" }].map((each) =>
    processes[1]?.watching(each),
  );
  await settled();
  expect([backlog?.ids, backlog?.batches[0]?.gap, waiting?.batches]).toEqual([[3, 4], true, []]);
  timeline.failure = undefined;
  clock.advance(NEXT);
  await settled();
  expect([first?.ids, backlog?.ids, waiting?.ids]).toEqual([
    [1, 2],
    [3, 4, 1, 2],
    [3, 4],
  ]);
});

test("when the polling process ends, another process takes over", async () => {
  const { timeline, clock, processes } = fleet(2);
  timeline.ids = [1];
  const [first, second] = processes.map(({ watching }) => watching());
  await settled();
  await processes[0]?.rest.close();
  timeline.add(2);
  clock.advance(NEXT);
  await settled();
  expect([first?.isOver, second?.ids]).toEqual([true, [2]]);
});

test("published entries contain no names or addresses, and invalid entries are rejected", async () => {
  const { bus, timeline, processes } = fleet(1);
  timeline.ids = [1];
  processes[0]?.watching();
  await settled();
  expect(bus.names).toEqual([
    { key: expect.stringMatching(/^[\w-]{32}$/), isPublic: true, intervalMs: 60_000 },
  ]);
  expect(bus.entries.map((bytes) => decodeFeedEntry(bytes).kind)).toEqual(["window"]);
  expect(Buffer.concat(bus.entries).toString("latin1")).not.toContain("ada");
});

test("an entry with the whole window is published regularly, so that a bus can drop earlier entries", async () => {
  const { bus, timeline, clock, processes } = fleet(1);
  processes[0]?.watching();
  await settled();
  for (let id = 1; id <= 70; id++) {
    timeline.add(id);
    clock.advance(NEXT);
    await settled();
  }
  const kinds = bus.entries.map((bytes) => decodeFeedEntry(bytes).kind);
  expect(kinds[0]).toBe("window");
  expect(kinds.length).toBeLessThan(10);
});

test("if a feed has not been polled for a long time, its old entries on the bus do not count as new for watchers that start now", async () => {
  const { timeline, clock, processes } = fleet(2);
  timeline.ids = [1];
  const first = processes[0]?.watching();
  await settled();
  await first?.leave();
  await processes[0]?.rest.close();
  timeline.add(2);
  clock.advance(24 * 3600 * 1000);
  const [now, everything] = [processes[1]?.watching(), processes[1]?.watching({ backlog: true })];
  await settled();
  timeline.add(3);
  clock.advance(NEXT);
  await settled();
  expect([now?.ids, everything?.ids]).toEqual([[3], [1, 2, 3]]);
});

test("a gap is reported exactly when a process missed entries that the bus has dropped", async () => {
  let member: FeedMember | undefined;
  const membership = {
    publish: () => Promise.resolve(true),
    interval: () => undefined,
    leave: async () => undefined,
  };
  const bus = {
    join: (_name: unknown, joined: FeedMember) => {
      member = joined;
      return membership;
    },
  };
  const { clock, watching } = startWatching({ watch: { bus } });
  const window = (ids: readonly number[], full: boolean) => {
    const keys = ids.map(String);
    const items = keys.map((key) => ({ key, bytes: new Uint8Array([8, Number(key)]), late: false }));
    const head = { kind: "window", polledAt: clock.now(), intervalMs: 60_000, gap: false, full } as const;
    return encodeFeedEntry({ ...head, items, listed: keys.toReversed() });
  };
  const watcher = watching();
  await settled();
  member?.start([window([1, 2], true)]);
  member?.entry(window([2, 3], true));
  member?.entry(window([5, 6], true));
  member?.entry(window([7], false));
  await settled();
  expect(watcher.batches.map(({ entries, gap }) => [entries.map(({ id }) => Number(id)), gap])).toEqual([
    [[], false],
    [[3], false],
    [[5, 6], true],
    [[7], false],
  ]);
});
