import fc from "fast-check";
import { expect, test } from "vitest";
import { ClientCounts } from "./client-counts.ts";

test("a client may use half of the total, and once half of the total is in use, each client may use only its part", () => {
  const counts = new ClientCounts(100, 10);
  for (let i = 0; i < 50; i++) {
    expect(counts.excess("a")).toBeUndefined();
    counts.add("a");
  }
  expect(counts.excess("a")).toBe("client");
  for (let i = 0; i < 10; i++) {
    expect(counts.excess("b")).toBeUndefined();
    counts.add("b");
  }
  expect(counts.excess("b")).toBe("client");
  expect(counts.excess("c")).toBeUndefined();
});

test("the total limit applies to all clients together", () => {
  const counts = new ClientCounts(4, 10);
  for (const client of ["a", "b", "c", "d"]) counts.add(client);
  expect(counts.excess("e")).toBe("all");
});

test("a resource that was given back can be taken again", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "::1", "2001:db8::1"), { maxLength: 40 }), (clients) => {
      const counts = new ClientCounts(10, 2);
      const leave = clients.map((client) => counts.add(client));
      expect(counts.size).toBe(clients.length);
      for (const each of leave) each();
      expect(counts.size).toBe(0);
      for (const client of clients) expect(counts.excess(client)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});
