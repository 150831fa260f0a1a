import { afterEach, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { MemoryBus } from "../testing/memory-bus.ts";
import { Timeline } from "../testing/timeline.ts";
import { closeWatching, settled, startWatching } from "../testing/watching.ts";
import { decodeFeedEntry } from "./feed-entry.ts";

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

test("of several processes one polls, and the watchers of all get the same", async () => {
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

test("a process that joins later starts from what the bus has, and polls nothing", async () => {
  const { timeline, processes } = fleet(2);
  timeline.ids = [1, 2, 3];
  processes[0]?.watching();
  await settled();
  const polls = timeline.requests.length;
  const later = processes[1]?.watching({ backlog: true });
  await settled();
  expect([later?.ids, timeline.requests.length]).toEqual([[1, 2, 3], polls]);
});

test("who takes over waits for the interval of the last poll, and repeats nothing", async () => {
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

test("the end of the process that polls leaves the feed to another", async () => {
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

test("what is published names no one and no address, and an entry that is none is refused", async () => {
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

test("entries with everything come now and then, so that a bus need not keep the others", async () => {
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
