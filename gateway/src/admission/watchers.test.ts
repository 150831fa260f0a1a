import type { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Watchers } from "./watchers.ts";

/** Watchers by name, and what ended them. */
function world(watchers: number, watchersPerClient: number) {
  const all = new Watchers({ watchers, watchersPerClient });
  const ended: string[] = [];
  const texts: string[] = [];
  const enter = (client: string, name = client) => {
    const stop = (error: ConnectError) => {
      ended.push(name);
      texts.push(String(error));
    };
    return all.enter({ client, running: { stop } })?.limit;
  };
  return { all, ended, texts, enter };
}

test("a client alone may have all watchers, and one more is refused", () => {
  const { all, enter, ended } = world(10, 2);
  for (let i = 0; i < 10; i++) expect(enter("a")).toBeUndefined();
  expect(enter("a")).toBe("watchersPerClient");
  expect([all.size, ended]).toEqual([10, []]);
});

test("another client takes the place of the newest watcher of the client that has the most", () => {
  const { all, enter, ended, texts } = world(4, 2);
  for (const name of ["one", "two", "three", "four"]) enter("a", name);
  expect(enter("b", "five")).toBeUndefined();
  expect([all.size, ended]).toEqual([4, ["four"]]);
  expect(texts).toEqual([
    "ConnectError: [resource_exhausted] this client has 4 of the 4 streams that watch feeds, and another client takes the place of one (watchersPerClient); try again later",
  ]);
});

test("a client keeps the watchers that are its part", () => {
  const { enter, ended } = world(4, 2);
  for (const client of ["a", "a", "b", "b"]) enter(client);
  expect(enter("c")).toBe("watchers");
  expect(ended).toEqual([]);
});

test("networks of IPv6 are one client", () => {
  const { enter } = world(2, 1);
  enter("2001:db8::1");
  enter("2001:db8::2");
  expect(enter("2001:db8::3")).toBe("watchersPerClient");
});

test("an overloaded process takes no watchers", () => {
  const overload = { limit: "heapPercent", text: "full" } as const;
  const watchers = new Watchers({ watchers: 1, watchersPerClient: 1 }, () => overload);
  expect(watchers.enter({ client: "a" })).toMatchObject({ limit: "heapPercent" });
});

test("whatever comes and goes, there are never more than may be, and nobody loses one of its part", () => {
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
        for (const { client, leaves } of steps) {
          if (leaves) {
            const call = of(client).pop();
            if (call !== undefined) all.leave(call as { client: string });
            continue;
          }
          const own = {
            client,
            running: {
              stop: () => {
                const others = of(client);
                expect(others.length).toBeGreaterThan(part);
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
