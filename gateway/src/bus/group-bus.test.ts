import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { eventually, FEED, leading, Member, SHORT } from "../testing/bus-members.ts";
import { TestGroup } from "../testing/group.ts";
import type { BrokerLimits } from "./broker.ts";
import { PART_BYTES } from "./group-messages.ts";

let groups: TestGroup[] = [];
afterEach(async () => {
  await Promise.all(groups.map((group) => group.close()));
  groups = [];
});

function begin(limits?: BrokerLimits): TestGroup {
  const group = new TestGroup(limits);
  groups.push(group);
  return group;
}

/** Starts members that share a feed; the first one leads. */
async function members(group: TestGroup, count: number, feed = FEED) {
  const processes = Array.from({ length: count }, () => group.start());
  const all = processes.map(({ bus }) => new Member(bus, feed));
  await eventually(() => all.every(({ started }) => started !== undefined)).toBe(true);
  const leader = await leading(...all);
  expect(leader).toBe(all[0]);
  return { processes, all, leader };
}

test("when a process is killed, another one takes over its feeds immediately, before the lease expires", async () => {
  const { processes, all } = await members(begin(), 3, { ...FEED, intervalMs: 3_600_000 });
  processes[0]?.kill();
  await leading(...all.slice(1));
  processes[1]?.kill();
  await leading(...all.slice(2));
});

test("a process that stops reading has one message in transit, and receives the retained entries when it reads again", async () => {
  const group = begin();
  const { processes, all, leader } = await members(group, 3);
  processes[1]?.cut();
  for (let round = 0; round < 300; round++) {
    await leader.publish(`entry ${round}`, round % 50 === 0 ? "window" : "news");
  }
  await eventually(() => all[2]?.entries.length).toBe(300);
  // the last two windows, and the entries after them
  expect(group.broker.size.bytes).toBeLessThan(100 * 16);
  processes[1]?.mend();
  await eventually(() => all[1]?.entries.at(-1)).toBe("entry 299");
  const got = all[1]?.entries ?? [];
  // the entry that was in transit, then the entries from a retained window
  const first = got.indexOf("entry 200");
  expect(first).toBeGreaterThanOrEqual(0);
  expect(first).toBeLessThanOrEqual(1);
  expect(got.slice(first)).toEqual(Array.from({ length: 100 }, (_, index) => `entry ${200 + index}`));
  expect(group.mostOnTheWay).toBe(1);
});

test("entries of any size arrive unchanged, in messages of a limited size", async () => {
  const { all, leader } = await members(begin(), 2);
  const sizes = [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 5 * PART_BYTES + 7];
  for (const size of sizes) {
    expect(await leader.membership.publish(Buffer.alloc(size, "x"), leader.fence ?? 0n, "news")).toBe(true);
  }
  await eventually(() => all[1]?.entries.map(({ length }) => length)).toEqual(sizes);
});

test("an entry that is too large is skipped, and the next entry is sent", async () => {
  const group = begin();
  const { processes, all, leader } = await members(group, 2);
  const large = Buffer.alloc(16 * 1024 * 1024 + 1);
  expect(await leader.membership.publish(large, leader.fence ?? 0n, "news")).toBe(true);
  expect(await leader.publish("small")).toBe(true);
  await eventually(() => all[1]?.entries).toEqual(["small"]);
  expect(processes[0]?.told.count("oversized")).toBe(1);
});

test("a feed that exceeds its memory limit drops its entries, and a new member starts with a new window", async () => {
  const group = begin({ feedBytes: 1000, bytes: 1_000_000 });
  const { all, leader } = await members(group, 2);
  expect(await leader.publish("window", "window")).toBe(true);
  for (let round = 0; round < 200; round++) expect(await leader.publish(`entry ${round}`)).toBe(true);
  await eventually(() => all[1]?.entries.length).toBe(201);
  expect(group.broker.size.bytes).toBeLessThanOrEqual(1000);
  const { fences } = leader;
  const late = new Member(group.start().bus);
  await eventually(() => late.started).toEqual([]);
  // a feed with a new fence begins with a window
  await eventually(() => fences.length).toBe(2);
  expect(await leader.publish("all", "window")).toBe(true);
  expect(await leader.publish("last")).toBe(true);
  await eventually(() => late.entries).toEqual(["all", "last"]);
  await eventually(() => all[1]?.entries.slice(-2)).toEqual(["all", "last"]);
});

test("when all feeds together exceed their limit, the least recently published feed drops its entries", async () => {
  const group = begin({ feedBytes: 1000, bytes: 1000 });
  const { bus } = group.start();
  const feeds = Array.from({ length: 10 }, (_, index) => new Member(bus, { ...FEED, key: `feed ${index}` }));
  await eventually(() => feeds.every(({ isLeading }) => isLeading)).toBe(true);
  for (const feed of feeds) expect(await feed.publish("x".repeat(150), "window")).toBe(true);
  expect(group.broker.size.bytes).toBeLessThanOrEqual(1000);
  expect(group.broker.size.feeds).toBe(10);
  const other = group.start().bus;
  const last = new Member(other, { ...FEED, key: "feed 9" });
  await eventually(() => last.started).toEqual(["x".repeat(150)]);
  const first = new Member(other, { ...FEED, key: "feed 0" });
  await eventually(() => first.started).toEqual([]);
});

test("entries are retained for a while after the last member leaves, and then released", async () => {
  const group = begin();
  const { all, leader } = await members(group, 2, SHORT);
  await leader.publish("window", "window");
  for (const member of all) await member.membership.leave();
  const next = new Member(group.start().bus, SHORT);
  await eventually(() => next.started).toEqual(["window"]);
  await next.membership.leave();
  await eventually(() => group.broker.size).toEqual({ bytes: 0, feeds: 0 });
});

test("after any sequence of joins, disconnections and kills, the remaining members have one leader and receive its window", async () => {
  const action = fc.record({
    process: fc.nat(3),
    what: fc.constantFrom("join", "leave", "cut", "mend", "kill", "publish", "window"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const group = begin({ feedBytes: 500, bytes: 500 });
      const slots = Array.from({ length: 4 }, () => ({
        process: group.start(),
        members: [] as Member[],
        isCut: false,
      }));
      let count = 0;
      for (const { process: index, what } of actions) {
        const slot = slots[index];
        if (slot === undefined) continue;
        const { process, members } = slot;
        const member = members.at(-1);
        if (what === "join" && member === undefined) members.push(new Member(process.bus));
        if (what === "leave" && member !== undefined) {
          void member.membership.leave();
          members.pop();
        }
        if (what === "cut") process.cut();
        if (what === "mend") process.mend();
        if (what === "kill") {
          process.kill();
          Object.assign(slot, { process: group.start(), members: [] });
        }
        if (what === "publish" || what === "window") {
          void member?.publish(`entry ${++count}`, what === "window" ? "window" : "news");
        }
        await new Promise(setImmediate);
      }
      const alive = slots.flatMap(({ process, members }) => {
        process.mend();
        return members;
      });
      if (alive.length === 0) return;
      const leader = await leading(...alive);
      const all = alive.flatMap((member) => member.fences.filter((fence) => fence > 0n));
      expect(new Set(all).size).toBe(all.length);
      expect(await leader.publish("the last window", "window")).toBe(true);
      for (const member of alive) {
        if (member === leader) continue;
        await eventually(() => [...(member.started ?? []), ...member.entries].at(-1)).toBe("the last window");
      }
      await group.close();
    }),
    { numRuns: 25 },
  );
});
