import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mortal } from "../testing/mortal.ts";
import { POSTGRES_PROGRAMS, startPostgres, type TestPostgres } from "../testing/postgres.ts";
import { PostgresStore } from "./postgres-store.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { Change, Entry, Store } from "./store.ts";
import { LEASE_MS, withLock } from "./with-lock.ts";

let folder: string;
let postgres: TestPostgres | undefined;
let time = 1_000_000;
const opened: Store[] = [];

const STORES = [
  {
    name: "SQLite",
    isMissing: false,
    open: () => new SqliteStore({ file: path.join(folder, "a.sqlite"), now }),
  },
  {
    name: "PostgreSQL",
    isMissing: POSTGRES_PROGRAMS === undefined,
    open: () => new PostgresStore({ url: postgres?.url ?? "", now }),
  },
] as const;

function now(): number {
  return time;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "connect-rest-store-"));
  if (POSTGRES_PROGRAMS !== undefined) postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(STORES)("$name", ({ isMissing, open }) => {
  const check = test.skipIf(isMissing);
  // opens two stores on the same data, as two processes would
  const pair = (): readonly [Store, Store] => {
    const stores = [open(), open()] as const;
    opened.push(...stores);
    return stores;
  };
  let stores: readonly [Store, Store];
  beforeAll(() => {
    if (!isMissing) stores = pair();
  });

  check("what one process puts, the other gets, with all that it has", async () => {
    const [a, b] = stores;
    const entry = { value: "ü\n'\"", expiresAt: time + 5, grant: "g", session: "s" };
    await a.put("kind", "key", entry);
    expect(await b.get("kind", "key")).toEqual(entry);
    expect(await b.get("other", "key")).toBeUndefined();
    await b.put("kind", "key", { value: "2" });
    expect(await a.get("kind", "key")).toEqual({ value: "2" });
    expect(await a.delete("kind", "key")).toBe(true);
    expect(await b.delete("kind", "key")).toBe(false);
    expect(await b.get("kind", "key")).toBeUndefined();
  });

  check("of any keys, those with an entry that has not expired are there", async () => {
    const [a, b] = stores;
    const keys = fc.uniqueArray(
      fc.string({ maxLength: 8 }).filter((key) => !key.includes("\0")),
      {
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(keys, keys, keys, async (lasting, expired, asked) => {
        const kind = "asked";
        for (const key of expired) await a.put(kind, key, { value: "v", expiresAt: time + 1 });
        for (const key of lasting) await a.put(kind, key, { value: "v" });
        time += 1;
        const there = asked.filter((key) => lasting.includes(key)).sort();
        expect([...(await b.existing(kind, asked))].sort()).toEqual(there);
        for (const key of [...lasting, ...expired]) await a.delete(kind, key);
        expect(await b.existing(kind, lasting)).toHaveProperty("size", 0);
      }),
      { numRuns: 30 },
    );
  });

  check("an entry may expire at any time, also at one that no clock shows", async () => {
    const [a, b] = stores;
    const times = fc.oneof(
      fc.double({ min: time + 1, noNaN: true }),
      fc.constantFrom(time + 0.5, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, 2 ** 62, 1e300, 2 ** 63),
      fc.maxSafeInteger().map((integer) => Math.abs(integer) * 1024 + time + 1),
    );
    await fc.assert(
      fc.asyncProperty(times, async (expiresAt) => {
        await a.put("timed", "key", { value: "v", expiresAt });
        expect((await b.get("timed", "key"))?.value).toBe("v");
        await b.delete("timed", "key");
      }),
      { numRuns: 40, examples: [[Number.POSITIVE_INFINITY]] },
    );
  });

  check("an entry is gone at the moment at which it expires, for every operation", async () => {
    const [a, b] = stores;
    const put = () => a.put("expiring", "key", { value: "v", expiresAt: time + 10, grant: "expiring" });
    await put();
    time += 9;
    expect(await b.get("expiring", "key")).toBeDefined();
    time += 1;
    expect(await b.get("expiring", "key")).toBeUndefined();
    expect(await b.listBy({ grant: "expiring" })).toEqual([]);
    expect(await b.take("expiring", "key")).toBeUndefined();
    await put();
    time += 10;
    expect(await a.update("expiring", "key", (entry) => entry ?? { value: "new" })).toEqual({ value: "new" });
    await put();
    time += 10;
    await a.put("lasting", "key", { value: "v" });
    expect(await a.deleteExpired()).toBe(1);
    expect(await a.deleteExpired()).toBe(0);
    expect(await a.get("lasting", "key")).toEqual({ value: "v" });
  });

  check("of many that take an entry at the same time, one gets it", async () => {
    for (let round = 0; round < 10; round += 1) {
      await stores[0].put("code", "key", { value: String(round) });
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (stores[i % 2] ?? stores[0]).take("code", "key")),
      );
      expect(taken.filter((entry) => entry !== undefined)).toEqual([{ value: String(round) }]);
    }
  });

  check(
    "updates of many at the same time follow one another, also for an entry that is not there yet",
    async () => {
      const count = (entry: Entry | undefined) => ({ value: String(Number(entry?.value ?? 0) + 1) });
      await Promise.all(
        Array.from({ length: 40 }, (_, i) => (stores[i % 2] ?? stores[0]).update("counter", "key", count)),
      );
      expect(await stores[0].get("counter", "key")).toEqual({ value: "40" });
      expect(await stores[0].update("counter", "key", () => undefined)).toBeUndefined();
      expect(await stores[1].get("counter", "key")).toBeUndefined();
    },
  );

  check("an update that throws changes nothing, and the store goes on", async () => {
    await stores[0].put("thrown", "key", { value: "1" });
    const fail = () => {
      throw new Error("no");
    };
    await expect(stores[0].update("thrown", "key", fail)).rejects.toThrow();
    expect(await stores[1].update("thrown", "key", () => ({ value: "2" }))).toEqual({ value: "2" });
  });

  check("changes are made together, or none of them where one finds something unexpected", async () => {
    const [a, b] = stores;
    await a.put("commit", "there", { value: "1" });
    const put = (key: string, expected: Change["expected"]) => {
      return { kind: "commit", key, entry: { value: "2" }, expected };
    };
    const bad = [
      put("there", { value: "0" }),
      put("there", "none"),
      put("gone", "any"),
      put("gone", { value: "" }),
    ];
    for (const change of bad) expect(await b.commit([put("new", undefined), change])).toBe(false);
    expect(await a.get("commit", "new")).toBeUndefined();
    const held = { kind: "commit", key: "there", entry: "unchanged", expected: "any" } as const;
    expect(
      await b.commit([put("new", "none"), held, { kind: "commit", key: "gone", entry: undefined }]),
    ).toBe(true);
    expect(await a.get("commit", "new")).toEqual({ value: "2" });
    expect(await a.get("commit", "there")).toEqual({ value: "1" });
    expect(await a.commit([put("there", { value: "1" })])).toBe(true);
    expect(await b.commit([])).toBe(true);
  });

  check("of many that expect the same, one commits", async () => {
    await stores[0].put("commit", "raced", { value: "0" });
    const committed = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (stores[i % 2] ?? stores[0]).commit([
          { kind: "commit", key: `by ${i}`, entry: { value: "" }, expected: "none" },
          { kind: "commit", key: "raced", entry: { value: String(i + 1) }, expected: { value: "0" } },
        ]),
      ),
    );
    const winner = committed.indexOf(true);
    expect(committed.filter((isMade) => isMade)).toHaveLength(1);
    expect(await stores[0].get("commit", "raced")).toEqual({ value: String(winner + 1) });
  });

  check("nothing is added to a grant that is deleted meanwhile", async () => {
    for (let round = 0; round < 20; round += 1) {
      const grant = `raced ${round}`;
      await stores[0].put("grant", grant, { value: "", grant });
      const add = stores[0].commit([
        { kind: "grant", key: grant, entry: "unchanged", expected: "any" },
        { kind: "token", key: grant, entry: { value: "", grant } },
      ]);
      await Promise.all(
        round % 2 === 0 ? [add, stores[1].deleteBy({ grant })] : [stores[1].deleteBy({ grant }), add],
      );
      expect(await stores[0].get("token", grant)).toBeUndefined();
    }
  });

  check("a grant goes with all that belongs to it, and a session with all its grants", async () => {
    const [a, b] = stores;
    const rows = [
      ["grant", "g1", { value: "", grant: "g1", session: "s1" }],
      ["token", "t1", { value: "", grant: "g1" }],
      ["grant", "g2", { value: "", grant: "g2", session: "s1" }],
      ["token", "t2", { value: "", grant: "g2" }],
      ["grant", "g3", { value: "", grant: "g3", session: "s2" }],
      ["upstream", "s1", { value: "", session: "s1" }],
    ] as const;
    for (const [kind, key, entry] of rows) await a.put(kind, key, entry);
    expect((await b.listBy({ session: "s1" })).map(({ kind, key }) => `${kind} ${key}`).sort()).toEqual([
      "grant g1",
      "grant g2",
      "upstream s1",
    ]);
    expect(await b.deleteBy({ grant: "g1" })).toBe(2);
    expect(await a.get("token", "t1")).toBeUndefined();
    expect(await b.deleteBy({ session: "s1" })).toBe(3);
    expect(await a.get("token", "t2")).toBeUndefined();
    expect(await a.get("grant", "g3")).toBeDefined();
    expect(await b.deleteBy({ session: "none" })).toBe(0);
  });

  check("grants that are added to and deleted by many at once end without an error", async () => {
    const grants = ["many 1", "many 2"];
    const work = Array.from({ length: 400 }, async (_, i) => {
      const grant = grants[i % 2] ?? "";
      const store = stores[i % 3 === 0 ? 0 : 1];
      if (i % 5 === 0) return store.deleteBy({ grant });
      const token = { kind: "token", key: `${grant} ${i}`, entry: { value: "", grant } };
      const shared = { kind: "shared", key: grant, entry: { value: "", grant }, expected: undefined };
      const held = { kind: "grant", key: grant, entry: { value: String(i), grant } };
      return store.commit([held, shared, token]);
    });
    await Promise.all(work);
    for (const grant of grants) await stores[0].deleteBy({ grant });
    expect(await stores[0].listBy({ grant: "many 1" })).toEqual([]);
  });

  check("a lock is held by one in all processes at a time, and work that throws gives it back", async () => {
    let holders = 0;
    let most = 0;
    const work = async () => {
      holders += 1;
      most = Math.max(most, holders);
      await new Promise(setImmediate);
      holders -= 1;
    };
    await Promise.all(
      Array.from({ length: 6 }, (_, i) => (stores[i % 2] ?? stores[0]).withLock("lock", 60_000, work)),
    );
    expect(most).toBe(1);
    const fail = () => Promise.reject(new Error("no"));
    await expect(stores[0].withLock("lock", 60_000, fail)).rejects.toThrow("no");
    expect(await stores[1].withLock("lock", 60_000, () => Promise.resolve("done"))).toBe("done");
  });

  check("a lock is held for as long as its work takes, and free 3 s after its holder has died", async () => {
    const [a, b] = stores;
    const life = mortal(a);
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const work = () => {
      hold();
      return new Promise(() => undefined);
    };
    void withLock(life, "dying", 60_000, work, now);
    await isHeld;
    const waiting = b.withLock("dying", 60_000, () => Promise.resolve("mine"));
    // wait for longer than a lease, also by the clock of the other process
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS));
    expect(await Promise.race([waiting, Promise.resolve("held")])).toBe("held");
    life.die();
    const from = performance.now();
    expect(await waiting).toBe("mine");
    expect(performance.now() - from).toBeLessThan(3500);
  });

  check("any sequence of operations leaves what a map would have", async () => {
    const key = fc.constantFrom("a", "b");
    const operation = fc.oneof(
      fc.record({
        op: fc.constant("put" as const),
        key,
        value: fc.string({ maxLength: 20 }).filter((text) => !text.includes("\u0000")),
      }),
      fc.record({ op: fc.constantFrom("take" as const, "delete" as const, "get" as const), key }),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 15 }), async (operations) => {
        run += 1;
        const kind = `map ${run}`;
        const map = new Map<string, string>();
        for (const [index, each] of operations.entries()) {
          const store = stores[index % 2] ?? stores[0];
          const expected = map.get(each.key);
          if (each.op === "put") {
            await store.put(kind, each.key, { value: each.value });
            map.set(each.key, each.value);
          } else if (each.op === "delete") {
            expect(await store.delete(kind, each.key)).toBe(map.delete(each.key));
          } else {
            expect((await store[each.op](kind, each.key))?.value).toBe(expected);
            if (each.op === "take") map.delete(each.key);
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});
