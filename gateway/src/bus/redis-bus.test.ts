import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@redis/client";
import { Secret } from "connect-rest-runtime";
import type { FeedName } from "connect-rest-runtime/internal";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually, FEED, leading, Member, SHORT, Told } from "../testing/bus-members.ts";
import { NO_REDIS, startRedis, type TestRedis } from "../testing/redis.ts";
import { selfSigned } from "../testing/self-signed.ts";
import type { BusOptions } from "./bus-options.ts";
import { RedisBus } from "./redis-bus.ts";

const KEY = new Secret("0123456789abcdef0123456789abcdef");

let redis: TestRedis | undefined;
let buses: RedisBus[] = [];

beforeEach(async ({ skip }) => {
  skip(NO_REDIS !== undefined, NO_REDIS);
  redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  buses = [];
  await redis?.close();
  redis = undefined;
});

function start(options: Partial<BusOptions> = {}, port = redis?.port): { bus: RedisBus; told: Told } {
  const told = new Told();
  const bus = new RedisBus({ url: `redis://127.0.0.1:${port}`, ...options }, told);
  buses.push(bus);
  return { bus, told };
}

test("the Redis stream of a feed keeps only two windows, the entries after them, and one poll", async () => {
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

test("if Redis is down from the start, each member polls", async () => {
  await redis?.stop();
  const a = new Member(start().bus, SHORT);
  await eventually(() => [a.started, a.isLeading]).toEqual([[], true]);
  await redis?.start();
  await eventually(() => a.fence !== undefined && a.fence > 0n).toBe(true);
  expect(await a.publish("one")).toBe(true);
});

test("fences keep increasing after Redis has lost its data", async () => {
  const a = new Member(start().bus);
  const { fence: before = 0n } = await leading(a);
  await redis?.stop();
  await redis?.start();
  await eventually(() => (a.fence ?? 0n) > before).toBe(true);
  expect(await a.publish("one")).toBe(true);
});

test("malformed entries are dropped and counted, and later entries arrive", async () => {
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

test("a feed that is polled with credentials is encrypted, and shared only by processes with a key", async () => {
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

test("keys can be rotated: the first key encrypts, and all keys decrypt", async () => {
  const next = new Secret("the key that comes after the first one");
  const old = new Member(start({ keys: [KEY] }).bus);
  await leading(old);
  await old.publish("window", "window");
  const both = new Member(start({ keys: [next, KEY] }).bus);
  await eventually(() => both.entries).toEqual(["window"]);
});

test("the bus connects to a server that requires a password and TLS", async () => {
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
