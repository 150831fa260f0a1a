import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@redis/client";
import { type FeedMember, type FeedName, type FeedSeat, Secret } from "connect-rest";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Cable, layCable, NO_REDIS, startRedis, type TestRedis } from "../testing/redis.ts";
import { selfSigned } from "../testing/self-signed.ts";
import type { BusObserver, BusOptions } from "./bus-options.ts";
import { RedisBus } from "./redis-bus.ts";

/** A lease lasts for longer than a machine pauses. */
const FEED: FeedName = { key: "feed", isPublic: true, intervalMs: 30_000 };
/** For those who wait for its end. */
const SHORT: FeedName = { ...FEED, intervalMs: 1000 };
const KEY = new Secret("0123456789abcdef0123456789abcdef");

let redis: TestRedis | undefined;
let cables: Cable[] = [];
let buses: RedisBus[] = [];

beforeEach(async ({ skip }) => {
  skip(NO_REDIS !== undefined, NO_REDIS);
  redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await Promise.all(cables.map((cable) => cable.close()));
  [buses, cables] = [[], []];
  await redis?.close();
  redis = undefined;
});

/** What an observer was told. */
class Told implements BusObserver {
  readonly all: string[] = [];
  connected(isConnected: boolean): void {
    const text = isConnected ? "connected" : "away";
    if (this.all.findLast((each) => each === "connected" || each === "away") !== text) this.all.push(text);
  }
  sent(): void {
    this.all.push("sent");
  }
  received(): void {
    this.all.push("received");
  }
  dropped(reason: string): void {
    this.all.push(reason);
  }
  notShared(): void {
    this.all.push("not shared");
  }
  count(text: string): number {
    return this.all.filter((each) => each === text).length;
  }
}

/** One process's part in a feed. An entry that begins with "bad" is none to it. */
class Member implements FeedMember {
  readonly entries: string[] = [];
  readonly fences: bigint[] = [];
  readonly seat: FeedSeat;
  started: readonly string[] | undefined;
  fence: bigint | undefined;

  constructor(bus: RedisBus, feed: FeedName = FEED) {
    this.seat = bus.join(feed, this);
  }

  start(entries: readonly Uint8Array[]): void {
    const texts = entries.map((entry) => Buffer.from(entry).toString());
    if (texts.some((text) => text.startsWith("bad"))) throw new Error("no entry");
    this.started = texts;
    this.entries.push(...texts);
  }

  lead(fence: bigint): void {
    this.fence = fence;
    this.fences.push(fence);
  }

  follow(): void {
    this.fence = undefined;
  }

  entry(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString();
    if (text.startsWith("bad")) throw new Error("no entry");
    this.entries.push(text);
  }

  publish(text: string, kind: "window" | "news" | "poll" = "news"): Promise<boolean> {
    return this.seat.publish(Buffer.from(text), this.fence ?? -1n, kind);
  }

  get isLeading(): boolean {
    return this.fence !== undefined;
  }
}

function start(options: Partial<BusOptions> = {}, port = redis?.port): { bus: RedisBus; told: Told } {
  const told = new Told();
  const bus = new RedisBus({ url: `redis://127.0.0.1:${port}`, ...options }, told);
  buses.push(bus);
  return { bus, told };
}

const POLL = { timeout: 60_000, interval: 10 };
const eventually = (read: () => unknown) => expect.poll(read, POLL);

async function leading(...members: readonly Member[]): Promise<Member> {
  await eventually(() => members.filter((member) => member.isLeading).length).toBe(1);
  const leader = members.find((member) => member.isLeading);
  if (leader === undefined) throw new Error("nobody leads");
  return leader;
}

test("of many that join at once, one polls", async () => {
  const members = Array.from({ length: 20 }, () => new Member(start().bus));
  await eventually(() => members.every((member) => member.started !== undefined)).toBe(true);
  await leading(...members);
  expect(members.flatMap(({ fences }) => fences)).toHaveLength(1);
});

test("what one publishes the others get, once each and in order, and not itself", async () => {
  const [a, b, c] = [new Member(start().bus), new Member(start().bus), new Member(start().bus)];
  const leader = await leading(a, b, c);
  const texts = Array.from({ length: 50 }, (_, index) => `entry ${index}`);
  for (const text of texts) expect(await leader.publish(text)).toBe(true);
  for (const member of [a, b, c]) {
    await eventually(() => member.entries).toEqual(member === leader ? [] : texts);
  }
});

test("who joins starts with the last window, the news behind it and the newest poll", async () => {
  const a = new Member(start().bus);
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
  const b = new Member(start().bus);
  await eventually(() => b.started).toEqual(["window 2", "two", "poll 2", "three"]);
});

test("the stream of a feed is bounded: two windows, what came since, and one poll", async () => {
  const a = new Member(start().bus);
  await leading(a);
  for (let i = 0; i < 300; i++) {
    await a.publish(`entry ${i}`, i % 10 === 0 ? "window" : i % 3 === 0 ? "poll" : "news");
  }
  const client = createClient({ url: `redis://127.0.0.1:${redis?.port}` });
  await client.connect();
  expect(await client.xLen("connect-rest:{feed}:entries")).toBeLessThanOrEqual(21);
  expect(await client.pTTL("connect-rest:{feed}:entries")).toBeGreaterThan(0);
  await client.close();
});

test("who leaves lets another one poll at once, with a higher fence each time", async () => {
  const members = Array.from(
    { length: 5 },
    () => new Member(start().bus, { ...FEED, intervalMs: 3_600_000 }),
  );
  let left = members;
  const fences: bigint[] = [];
  while (left.length > 0) {
    const leader = await leading(...left);
    fences.push(leader.fence ?? 0n);
    left = left.filter((member) => member !== leader);
    await leader.seat.leave();
    leader.fence = undefined;
  }
  expect(fences).toEqual(fences.toSorted((x, y) => (x < y ? -1 : 1)));
  expect(new Set(fences).size).toBe(5);
});

test("who is cut off loses its lease, and what it publishes with its old fence is refused", async () => {
  const cable = await layCable(redis?.port ?? 0);
  cables.push(cable);
  const a = new Member(start({}, cable.port).bus, SHORT);
  await leading(a);
  expect(await a.publish("before")).toBe(true);
  const b = new Member(start().bus, SHORT);
  await eventually(() => b.started).toBeDefined();
  cable.cut();
  // the other one takes over when the lease is over; this one does not know
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
});

test("while the bus is away each polls for itself, and afterwards one for all; what was published is not lost", async () => {
  const [first, second] = [start(), start()];
  const [a, b] = [new Member(first.bus, SHORT), new Member(second.bus, SHORT)];
  const leader = await leading(a, b);
  const other = leader === a ? b : a;
  await redis?.stop();
  await eventually(() => [a.isLeading, b.isLeading]).toEqual([true, true]);
  const sent = leader.publish("window while away", "window");
  const [told] = leader === a ? [first.told] : [second.told];
  await redis?.start();
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
});

test("a bus that is away from the beginning keeps nobody from polling", async () => {
  await redis?.stop();
  const a = new Member(start().bus, SHORT);
  await eventually(() => [a.started, a.isLeading]).toEqual([[], true]);
  await redis?.start();
  await eventually(() => a.fence !== undefined && a.fence > 0n).toBe(true);
  expect(await a.publish("one")).toBe(true);
});

test("a bus that has lost all it held gives fences that are higher nevertheless", async () => {
  const a = new Member(start().bus);
  const { fence: before = 0n } = await leading(a);
  await redis?.stop();
  await redis?.start();
  await eventually(() => (a.fence ?? 0n) > before).toBe(true);
  expect(await a.publish("one")).toBe(true);
});

test("garbage on the bus is dropped and counted, whatever it is, and hurts nothing else", async () => {
  const { bus, told } = start();
  const leader = new Member(start().bus);
  await leading(leader);
  const member = new Member(bus);
  await eventually(() => member.started).toBeDefined();
  const client = createClient({ url: `redis://127.0.0.1:${redis?.port}` });
  await client.connect();
  const name = fc.constantFrom("d", "k", "o", "x", "");
  const value = fc.oneof(
    fc.constantFrom("window", "news", "poll", "", "0", "1"),
    fc.string(),
    fc.string({ unit: "binary" }),
  );
  const garbage = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(garbage, async (fields) => {
      await client.sendCommand(["XADD", "connect-rest:{feed}:entries", "*", ...fields.flat()]);
      count += 1;
    }),
    { numRuns: 50 },
  );
  await client.sendCommand(["XADD", "connect-rest:{feed}:entries", "*", "k", "news", "d", "\x01bad one"]);
  await client.sendCommand([
    "XADD",
    "connect-rest:{feed}:entries",
    "*",
    "k",
    "news",
    "d",
    "x".repeat(17 * 1024 * 1024),
  ]);
  await client.close();
  expect(await leader.publish("good")).toBe(true);
  await eventually(() => member.entries.at(-1)).toBe("good");
  expect(told.count("oversized")).toBe(1);
  expect(told.count("invalid")).toBeGreaterThanOrEqual(1);
  const dropped = ["oversized", "invalid", "malformed", "unreadable"].reduce(
    (sum, each) => sum + told.count(each),
    0,
  );
  expect(dropped + member.entries.length - 1).toBe(count + 2);
});

test("one bad entry among those that a feed starts with costs that one alone", async () => {
  const leader = new Member(start().bus);
  await leading(leader);
  for (const [text, kind] of [
    ["window", "window"],
    ["bad", "news"],
    ["one", "news"],
  ] as const) {
    await leader.publish(text, kind);
  }
  const { bus, told } = start();
  const member = new Member(bus);
  await eventually(() => member.entries).toEqual(["window", "one"]);
  expect(told.count("invalid")).toBe(1);
});

test("a feed that is polled with credentials is sealed, and shared only among those who have a key", async () => {
  const own: FeedName = { ...FEED, isPublic: false };
  const options = { keys: [KEY] };
  const [a, b] = [new Member(start(options).bus, own), new Member(start(options).bus, own)];
  const leader = await leading(a, b);
  expect(await leader.publish("what nobody else may read")).toBe(true);
  const other = leader === a ? b : a;
  await eventually(() => other.entries).toEqual(["what nobody else may read"]);
  const client = createClient({ url: `redis://127.0.0.1:${redis?.port}` });
  await client.connect();
  const raw = await client.sendCommand(["XRANGE", "connect-rest:{feed}:entries", "-", "+"]);
  await client.close();
  expect(JSON.stringify(raw)).toContain("news");
  expect(JSON.stringify(raw)).not.toContain("nobody");
  const stranger = start({ keys: [new Secret("another key of thirty-two letters")] });
  const outsider = new Member(stranger.bus, own);
  await eventually(() => stranger.told.count("unreadable")).toBe(1);
  expect(outsider.entries).toEqual([]);
  const { bus, told } = start();
  const alone = new Member(bus, own);
  await eventually(() => alone.isLeading).toBe(true);
  expect([told.count("not shared"), await alone.publish("mine")]).toEqual([1, true]);
});

test("keys can be changed: the first one seals, and all open", async () => {
  const next = new Secret("the key that comes after the first one");
  const old = new Member(start({ keys: [KEY] }).bus);
  await leading(old);
  await old.publish("window", "window");
  const both = new Member(start({ keys: [next, KEY] }).bus);
  await eventually(() => both.entries).toEqual(["window"]);
});

test("a server that wants a password, and one that speaks TLS", async () => {
  const { certificate, key } = selfSigned();
  const folder = mkdtempSync(join(tmpdir(), "connect-rest-bus-"));
  writeFileSync(join(folder, "cert.pem"), certificate);
  writeFileSync(join(folder, "key.pem"), key);
  const files = ["--tls-cert-file", join(folder, "cert.pem"), "--tls-key-file", join(folder, "key.pem")];
  const clients = ["--tls-auth-clients", "no", "--requirepass", "s3cret"];
  const secure = await startRedis([...files, ...clients], true);
  try {
    const url = `rediss://localhost:${secure.port}`;
    const tls = { ca: certificate };
    const wrong = start({ url, tls, password: new Secret("wrong") });
    await eventually(() => wrong.told.all).toEqual(["away"]);
    const untrusted = start({ url, password: new Secret("s3cret") });
    await eventually(() => untrusted.told.all).toEqual(["away"]);
    const { bus, told } = start({ url, tls, password: new Secret("s3cret") });
    const member = new Member(bus);
    await eventually(() => member.fence !== undefined && member.fence > 0n).toBe(true);
    expect(await member.publish("one")).toBe(true);
    expect(told.all).toContain("sent");
  } finally {
    await Promise.all(buses.map((bus) => bus.close()));
    await secure.close();
    rmSync(folder, { recursive: true });
  }
});
