import type { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Watchers } from "./watchers.ts";

/** Creates watchers by name, and records the errors that end them. */
function world(watchers: number, watchersPerClient: number) {
  const all = new Watchers({ watchers, watchersPerClient });
  const ended: string[] = [];
  const texts: string[] = [];
  const enter = (client: string, name = client) => {
    const stop = (error: ConnectError) => {
      ended.push(name);
      texts.push(String(error));
    };
    return all.enter({ key: client, running: { stop } })?.limit;
  };
  return { all, ended, texts, enter };
}

test("a single client may use all slots for watchers, and a further watcher is rejected", () => {
  const { all, enter, ended } = world(10, 2);
  for (let i = 0; i < 10; i++) expect(enter("a")).toBeUndefined();
  expect(enter("a")).toBe("watchersPerClient");
  expect([all.size, ended]).toEqual([10, []]);
});

test("a new client's watcher displaces the newest watcher of the client with the most watchers", () => {
  const { all, enter, ended, texts } = world(4, 2);
  for (const name of ["one", "two", "three", "four"]) enter("a", name);
  expect(enter("b", "five")).toBeUndefined();
  expect([all.size, ended]).toEqual([4, ["four"]]);
  expect(texts).toEqual([
    "ConnectError: [resource_exhausted] this client has 4 of the 4 streams that watch feeds, and another client takes the place of one (watchersPerClient); try again later",
  ]);
});

test("each client is guaranteed an equal part of the watcher slots, and loses only watchers in excess of that part", () => {
  const { enter, ended } = world(6, 2);
  for (const client of ["a", "a", "a", "b", "b", "b"]) enter(client);
  for (const name of ["c", "c"]) expect(enter(name)).toBeUndefined();
  expect(ended).toEqual(["a", "b"]);
  expect(enter("c")).toBe("watchersPerClient");
  expect(enter("d")).toBeUndefined();
  expect(ended).toEqual(["a", "b", "a"]);
  for (const client of ["a", "b", "c"]) expect(enter(client)).toMatch(/watchers/);
});

test("the addresses in an IPv6 network count as one client", () => {
  const { enter } = world(2, 1);
  enter("2001:db8::1");
  enter("2001:db8::2");
  expect(enter("2001:db8::3")).toBe("watchersPerClient");
});

test("an overloaded process rejects watchers", () => {
  const overload = { limit: "heapPercent", text: "full" } as const;
  const watchers = new Watchers({ watchers: 1, watchersPerClient: 1 }, () => overload);
  expect(watchers.enter({ key: "a" })).toMatchObject({ limit: "heapPercent" });
});

test("the number of watchers stays within the limit, and no client loses a watcher within its equal part", () => {
  const actions = fc.array(fc.record({ client: fc.constantFrom("a", "b", "c", "d"), leaves: fc.boolean() }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      actions,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (steps, max, part) => {
        const all = new Watchers({ watchers: max, watchersPerClient: part });
        const held = new Map<string, object[]>();
        const of = (client: string) => held.get(client) ?? [];
        let newcomer = "";
        for (const { client, leaves } of steps) {
          newcomer = client;
          if (leaves) {
            const call = of(client).pop();
            if (call !== undefined) all.leave(call as { key: string });
            continue;
          }
          const own = {
            key: client,
            running: {
              stop: () => {
                const others = of(client);
                const clients = new Set([
                  ...[...held].filter(([, calls]) => calls.length > 0).map(([name]) => name),
                  newcomer,
                ]);
                expect(others.length).toBeGreaterThan(Math.min(part, Math.floor(max / clients.size)));
                expect(others.length).toBeGreaterThan(of(newcomer).length + 1);
                expect(others.at(-1)).toBe(own);
                others.pop();
              },
            },
          };
          if (all.enter(own) === undefined) held.set(client, [...of(client), own]);
        }
        const counted = [...held.values()].reduce((sum, leaves) => sum + leaves.length, 0);
        expect(all.size).toBe(counted);
        expect(counted).toBeLessThanOrEqual(max);
      },
    ),
    { numRuns: 300 },
  );
});
