import { afterEach, expect, type TestContext, test } from "vitest";
import { eventually, FEED, leading, Member, SHORT, Told } from "../testing/bus-members.ts";
import { TestGroup } from "../testing/group.ts";
import { type Cable, layCable, NO_REDIS, startRedis, type TestRedis } from "../testing/redis.ts";
import type { ProcessBus } from "./bus-options.ts";
import { RedisBus } from "./redis-bus.ts";

/** One process that uses a bus. */
interface Process {
  readonly bus: ProcessBus;
  readonly told: Told;
}

/** Processes that share a bus. */
interface Fleet {
  start(): Process;
  /** Starts a process whose connection to the others can be cut. */
  startOnCable(): Promise<Process & Pick<Cable, "cut" | "mend">>;
  /** Makes the bus unavailable. */
  stop(): Promise<void> | void;
  goOn(): Promise<void> | void;
  close(): Promise<void>;
}

interface World {
  readonly name: string;
  readonly missing?: string | undefined;
  readonly begin: () => Promise<Fleet>;
}

const WORLDS: readonly World[] = [
  { name: "Redis", missing: NO_REDIS, begin: async () => new RedisFleet(await startRedis()) },
  { name: "workers", begin: async () => groupFleet() },
];

class RedisFleet implements Fleet {
  private readonly redis: TestRedis;
  private readonly cables: Cable[] = [];
  private readonly buses: RedisBus[] = [];

  constructor(redis: TestRedis) {
    this.redis = redis;
  }

  start(port = this.redis.port): Process {
    const told = new Told();
    const bus = new RedisBus({ url: `redis://127.0.0.1:${port}` }, told);
    this.buses.push(bus);
    return { bus, told };
  }

  async startOnCable() {
    const cable = await layCable(this.redis.port);
    this.cables.push(cable);
    return { ...this.start(cable.port), cut: cable.cut, mend: cable.mend };
  }

  stop() {
    return this.redis.stop();
  }

  goOn() {
    return this.redis.start();
  }

  async close() {
    await Promise.all(this.buses.map((bus) => bus.close()));
    await Promise.all(this.cables.map((cable) => cable.close()));
    await this.redis.close();
  }
}

function groupFleet(): Fleet {
  const group = new TestGroup();
  return {
    start: () => group.start(),
    startOnCable: async () => group.start(),
    stop: () => group.stop(),
    goOn: () => group.goOn(),
    close: () => group.close(),
  };
}

let fleets: Fleet[] = [];

async function begin(world: World, skip: TestContext["skip"]): Promise<Fleet> {
  skip(world.missing !== undefined, world.missing);
  const fleet = await world.begin();
  fleets.push(fleet);
  return fleet;
}

afterEach(async () => {
  await Promise.all(fleets.map((fleet) => fleet.close()));
  fleets = [];
});

test.for(WORLDS)(
  "only one of many members that join at the same time becomes the leader ($name)",
  async (world, { skip }) => {
    const fleet = await begin(world, skip);
    const members = Array.from({ length: 20 }, () => new Member(fleet.start().bus));
    await eventually(() => members.every((member) => member.started !== undefined)).toBe(true);
    await leading(...members);
    expect(members.flatMap(({ fences }) => fences)).toHaveLength(1);
  },
);

test.for(WORLDS)(
  "all members except the publisher receive each entry once and in order ($name)",
  async (world, { skip }) => {
    const fleet = await begin(world, skip);
    const [a, b, c] = [
      new Member(fleet.start().bus),
      new Member(fleet.start().bus),
      new Member(fleet.start().bus),
    ];
    const leader = await leading(a, b, c);
    const texts = Array.from({ length: 50 }, (_, index) => `entry ${index}`);
    for (const text of texts) expect(await leader.publish(text)).toBe(true);
    for (const member of [a, b, c]) {
      await eventually(() => member.entries).toEqual(member === leader ? [] : texts);
    }
  },
);

test.for(WORLDS)(
  "a new member starts with the last window, the news after it and the newest poll ($name)",
  async (world, { skip }) => {
    const fleet = await begin(world, skip);
    const a = new Member(fleet.start().bus);
    await leading(a);
    for (const [text, kind] of [
      ["old", "news"],
      ["window 1", "window"],
      ["one", "news"],
      ["window 2", "window"],
      ["poll 1", "poll"],
      ["two", "news"],
      ["poll 2", "poll"],
      ["three", "news"],
    ] as const) {
      expect(await a.publish(text, kind)).toBe(true);
    }
    const b = new Member(fleet.start().bus);
    await eventually(() => b.started).toEqual(["window 2", "two", "poll 2", "three"]);
  },
);

test.for(WORLDS)(
  "when the leader leaves, another member polls immediately, each time with a higher fence ($name)",
  async (world, { skip }) => {
    const fleet = await begin(world, skip);
    const members = Array.from(
      { length: 5 },
      () => new Member(fleet.start().bus, { ...FEED, intervalMs: 3_600_000 }),
    );
    let left = members;
    const fences: bigint[] = [];
    while (left.length > 0) {
      const leader = await leading(...left);
      fences.push(leader.fence ?? 0n);
      left = left.filter((member) => member !== leader);
      await leader.membership.leave();
      leader.fence = undefined;
    }
    expect(fences).toEqual(fences.toSorted((x, y) => (x < y ? -1 : 1)));
    expect(new Set(fences).size).toBe(5);
  },
);

test.for(WORLDS)(
  "a disconnected leader loses its lease, and the bus rejects entries with its old fence ($name)",
  async (world, { skip }) => {
    const fleet = await begin(world, skip);
    const cable = await fleet.startOnCable();
    const a = new Member(cable.bus, SHORT);
    await leading(a);
    expect(await a.publish("before")).toBe(true);
    const b = new Member(fleet.start().bus, SHORT);
    await eventually(() => b.started).toBeDefined();
    cable.cut();
    // b takes over when a's lease expires, and a does not notice
    await eventually(() => b.isLeading).toBe(true);
    expect(a.isLeading).toBe(true);
    const stale = a.publish("from the past");
    expect(await b.publish("window", "window")).toBe(true);
    cable.mend();
    expect(await stale).toBe(false);
    await eventually(() => [a.isLeading, a.entries]).toEqual([false, ["window"]]);
    expect(b.isLeading).toBe(true);
    expect(b.entries).toEqual(["before"].filter((text) => b.entries.includes(text)));
    expect((b.fence ?? 0n) > (a.fences[0] ?? 0n)).toBe(true);
  },
);

test.for(WORLDS)(
  "each member polls while the bus is down, one member polls for all once the bus is back, and no entry of the remaining leader is lost ($name)",
  async (world, { skip }) => {
    const fleet = await begin(world, skip);
    const [first, second] = [fleet.start(), fleet.start()];
    const [a, b] = [new Member(first.bus, SHORT), new Member(second.bus, SHORT)];
    const leader = await leading(a, b);
    const other = leader === a ? b : a;
    await fleet.stop();
    await eventually(() => [a.isLeading, b.isLeading]).toEqual([true, true]);
    const sent = leader.publish("window while away", "window");
    const [told] = leader === a ? [first.told] : [second.told];
    await fleet.goOn();
    await eventually(() => [a.isLeading, b.isLeading].filter((each) => each).length).toBe(1);
    const now = await leading(a, b);
    if (now === leader) {
      expect(await sent).toBe(true);
      await eventually(() => other.entries).toContain("window while away");
    } else {
      expect(await sent).toBe(false);
    }
    expect(told.all.filter((each) => each === "away")).toHaveLength(1);
    expect(told.count("connected")).toBe(2);
  },
);

test.for(WORLDS)(
  "a bad entry in the initial entries of a feed is skipped, and the others arrive ($name)",
  async (world, { skip }) => {
    const fleet = await begin(world, skip);
    const leader = new Member(fleet.start().bus);
    await leading(leader);
    for (const [text, kind] of [
      ["window", "window"],
      ["bad", "news"],
      ["one", "news"],
    ] as const) {
      await leader.publish(text, kind);
    }
    const { bus, told } = fleet.start();
    const member = new Member(bus);
    await eventually(() => member.entries).toEqual(["window", "one"]);
    expect(told.count("invalid")).toBe(1);
  },
);
