import fc from "fast-check";
import { expect, test } from "vitest";
import { type EventSourceOptions, MOST_AT_ONCE, type Sandbox, startSandbox } from "../index.ts";
import { ask } from "../testing/client.ts";
import { latencyOf } from "./latency.ts";

const START = 1_800_000_000_000;
const REPOS = ["octo/hello", "octavia/tools"];

async function run<T>(events: EventSourceOptions | undefined, work: (sandbox: Sandbox) => Promise<T>) {
  const sandbox = await startSandbox({
    clock: START,
    limits: { feedCallsAnonymous: Number.POSITIVE_INFINITY },
    ...(events && { events }),
  });
  sandbox.events.clear();
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

interface Seen {
  readonly id: string;
  readonly created_at: string;
}

/** Returns the events of the public feed, oldest first. */
async function shown(sandbox: Sandbox): Promise<Seen[]> {
  const pages = [1, 2, 3].map((page) => ask(`${sandbox.feedUrl}/events?per_page=100&page=${page}`));
  return (await Promise.all(pages)).flatMap((page) => page.json as Seen[]).reverse();
}

const createdAt = (event: Seen) => Date.parse(event.created_at) / 1000;

test("events are generated only after start, and not after stop", async () => {
  await run(undefined, async (sandbox) => {
    sandbox.clock.advance(3_600_000);
    expect(await shown(sandbox)).toEqual([]);
    sandbox.events.start({ perHour: 60, repos: REPOS });
    sandbox.clock.advance(3_600_000);
    sandbox.events.stop();
    sandbox.clock.advance(3_600_000);
    expect(await shown(sandbox)).toHaveLength(60);
  });
});

test("events are spread evenly at the given rate per hour, and each appears after its latency", async () => {
  await run({ perHour: 12, latency: 400, repos: REPOS }, async (sandbox) => {
    const start = sandbox.events.now();
    sandbox.clock.advance(2 * 3_600_000);
    sandbox.events.stop();
    sandbox.clock.advance(400_000);
    const all = await shown(sandbox);
    expect(all.map((event) => Math.floor((createdAt(event) - start) / 300))).toEqual(
      Array.from({ length: 24 }, (_, i) => i),
    );
    const last = all.at(-1) as Seen;
    const arrival = createdAt(last) + 400 - sandbox.events.now();
    sandbox.clock.advance((arrival - 1) * 1000);
    expect(await shown(sandbox)).toEqual(all.slice(0, -1));
    sandbox.clock.advance(1000);
    expect(await shown(sandbox)).toEqual(all);
  });
});

const LATENCY = fc.oneof(
  fc.integer({ min: 0, max: 21_600 }),
  fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 100, max: 21_600 })),
  fc.constant("daily" as const),
);

test("the events depend only on the seed, not on how often the feed is read", async () => {
  const options = fc.record({
    perHour: fc.integer({ min: 1, max: 200 }),
    seed: fc.oneof(fc.nat(), fc.string()),
    latency: LATENCY,
    lateShare: fc.double({ min: 0, max: 1, noNaN: true }),
    lateBy: LATENCY,
  });
  const steps = fc.array(fc.integer({ min: 0, max: 4 * 3600 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(options, steps, async (events, waits) => {
      const total = waits.reduce((sum, wait) => sum + wait, 0);
      const often = await run(events, async (sandbox) => {
        for (const wait of waits) {
          sandbox.clock.advance(wait * 1000);
          await shown(sandbox);
        }
        return await shown(sandbox);
      });
      const once = await run(events, (sandbox) => {
        sandbox.clock.advance(total * 1000);
        return shown(sandbox);
      });
      expect(often).toEqual(once);
    }),
    { numRuns: 8 },
  );
}, 120_000);

test("another seed generates other events", async () => {
  const made = (seed: number) =>
    run({ perHour: 60, seed }, (sandbox) => {
      sandbox.clock.advance(3_600_000);
      return shown(sandbox);
    });
  expect(await made(1)).not.toEqual(await made(2));
});

test("late events appear among older events, and no event that was shown disappears", async () => {
  const events = { perHour: 30, lateShare: 0.3, lateBy: [600, 7200], repos: REPOS } as const;
  await run(events, async (sandbox) => {
    let before: Seen[] = [];
    let late = 0;
    for (let minute = 0; minute < 240; minute += 10) {
      sandbox.clock.advance(600_000);
      const now = await shown(sandbox);
      const known = new Set(before.map(({ id }) => id));
      const newest = before.at(-1);
      late += now.filter(
        (event) => !known.has(event.id) && newest && createdAt(event) < createdAt(newest),
      ).length;
      expect(now.filter(({ id }) => known.has(id))).toEqual(before);
      before = now;
    }
    expect(late).toBeGreaterThan(10);
  });
});

test("published and generated events have ids in one sequence", async () => {
  await run({ perHour: 60, latency: 0, repos: REPOS }, async (sandbox) => {
    for (let i = 0; i < 20; i++) {
      sandbox.clock.advance(90_000);
      sandbox.events.publish({ type: "PublicEvent", actor: "octavia", repo: "octo/hello", payload: {} });
    }
    const ids = (await shown(sandbox)).map(({ id }) => Number(id));
    expect(ids).toHaveLength(20 + 30);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });
});

test("advancing the clock by a long time generates only the newest events, which fill the timeline", async () => {
  await run({ perHour: 3600, repos: REPOS }, async (sandbox) => {
    sandbox.clock.advance(400 * 86_400_000);
    const all = await shown(sandbox);
    expect(all).toHaveLength(300);
    expect(Number(all.at(-1)?.id)).toBeLessThanOrEqual(52_000_000_421 + MOST_AT_ONCE);
    expect(sandbox.events.now() - createdAt(all.at(-1) as Seen)).toBeLessThanOrEqual(31);
  });
});

test("a source continues after a repository is renamed or removed", async () => {
  await run({ perHour: 60 }, async (sandbox) => {
    sandbox.events.rename("octo/hello", "octo/hi");
    for (const repo of ["octavia/tools", "marvin/hello"]) sandbox.events.remove(repo);
    sandbox.clock.advance(3_600_000);
    const names = (await shown(sandbox)).map(
      (event) => (event as unknown as { repo: { name: string } }).repo.name,
    );
    expect(new Set(names)).toEqual(new Set(["octo/hi"]));
    sandbox.events.start({ perHour: 60, repos: ["octavia/tools"] });
    sandbox.clock.advance(3_600_000);
    expect((await shown(sandbox)).length).toBeGreaterThanOrEqual(names.length);
  });
});

test("reset restarts the source", async () => {
  await run({ perHour: 60 }, async (sandbox) => {
    const after = async () => {
      sandbox.reset();
      sandbox.clock.advance(3_600_000);
      return await shown(sandbox);
    };
    const first = await after();
    expect(first.some((event) => createdAt(event) > sandbox.events.now() - 3600)).toBe(true);
    expect(await after()).toEqual(first);
  });
});

test("the daily latency rises from 30 seconds at midnight to 6 hours at noon", () => {
  const day = Array.from({ length: 25 }, (_, hour) => latencyOf("daily", hour * 3600));
  expect([day[0], day[12], day[24]]).toEqual([30, 21_600, 30]);
  expect(day.slice(0, 13)).toEqual(day.slice(0, 13).toSorted((a, b) => a - b));
});

test.each([
  [{ perHour: 0 }, "invalid number of events in an hour, expected more than 0 up to 3600000: 0"],
  [{ perHour: Number.NaN }, "invalid number of events in an hour, expected more than 0 up to 3600000: NaN"],
  [
    { perHour: 3_600_001 },
    "invalid number of events in an hour, expected more than 0 up to 3600000: 3600001",
  ],
  [{ perHour: 1, lateShare: 2 }, "invalid share of late events, expected 0 to 1: 2"],
])("the event source %j is rejected", async (events, text) => {
  await expect(startSandbox({ events })).rejects.toThrow(text);
});
