import { hashOf } from "connect-rest-runtime/internal";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { isNear, isRecent } from "./recent.ts";
import { Tokens } from "./resource/tokens.ts";
import { GRACE_MS } from "./server/adapter.ts";
import { Rate } from "./server/rate.ts";
import { SqliteStore } from "./store/sqlite-store.ts";
import { withLock } from "./store/with-lock.ts";
import { mortal } from "./testing/mortal.ts";

const PUBLIC_URL = "https://gateway.test";
const START = 1_800_000_000_000;
let time = START;
const now = () => time;
const stores: SqliteStore[] = [];
afterEach(async () => {
  time = START;
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

/** From ten seconds to ten years, in milliseconds. */
const jumps = fc.integer({ min: 10_000, max: 315_360_000_000 });

function openStore(): SqliteStore {
  const store = new SqliteStore({ file: ":memory:", now });
  stores.push(store);
  return store;
}

test("property: a time counts as recent only if it is in the past and within the limit", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), fc.nat(), (at, when, ms) => {
      expect(isRecent(at, when, ms)).toBe(at <= when && when < at + ms);
      expect(isNear(at, when, ms)).toBe(isRecent(at, when, ms) || isRecent(when, at, ms));
    }),
  );
});

test("property: once the clock has been set back, a token that another process revoked is still rejected", async () => {
  await fc.assert(
    fc.asyncProperty(jumps, async (jump) => {
      time = START;
      const store = openStore();
      const tokens = new Tokens({ store, audiences: [PUBLIC_URL], sessions: undefined, now });
      const token = "a".repeat(43);
      const value = JSON.stringify({ payload: { clientId: "c", aud: PUBLIC_URL, scope: "a" } });
      await store.put("AccessToken", hashOf(token), { value, expiresAt: START * 2 });
      expect(await tokens.find(token)).toBeDefined();
      await store.delete("AccessToken", hashOf(token));
      time -= jump;
      expect(await tokens.find(token)).toBeUndefined();
      // a token that was unknown may be stored in the meantime
      await store.put("AccessToken", hashOf(token), { value, expiresAt: START * 2 });
      time -= jump;
      expect(await tokens.find(token)).toBeDefined();
    }),
    { numRuns: 20 },
  );
});

test("property: once the clock has been set back, a rate limit rejects clients for at most a minute", () => {
  fc.assert(
    fc.property(jumps, fc.nat(100_000), (jump, later) => {
      time = START;
      const rate = new Rate({ all: () => 1, perClient: () => 1 }, now);
      expect(rate.take("192.0.2.1")).toBeUndefined();
      expect(rate.take("192.0.2.1")?.seconds).toBeLessThanOrEqual(60);
      time -= jump;
      expect(rate.take("192.0.2.1")).toBeUndefined();
      time += later;
      expect(rate.take("192.0.2.1")?.seconds ?? 0).toBeLessThanOrEqual(60);
    }),
  );
});

test("property: once the clock has been set back or forward, the lock of a dead process is released", async () => {
  const moves = fc.sample(fc.integer({ min: -315_360_000_000, max: 50_000 }), 20);
  const takeOver = async (move: number) => {
    let own = START;
    const store = new SqliteStore({ file: ":memory:", now: () => own });
    const life = mortal(store);
    const { promise: isHeld, resolve } = Promise.withResolvers<void>();
    const work = () => {
      resolve();
      return new Promise(() => undefined);
    };
    void withLock(life, "lock", 60_000, work, () => own);
    await isHeld;
    life.die();
    own += move;
    expect(await store.withLock("lock", 60_000, () => Promise.resolve("mine"))).toBe("mine");
  };
  await Promise.all(moves.map(takeOver));
});

test("property: once the clock has been set back, a used refresh token does not get a second successor", () => {
  fc.assert(
    fc.property(jumps, (jump) => {
      expect(isNear(START, START - jump, GRACE_MS)).toBe(false);
    }),
  );
});
