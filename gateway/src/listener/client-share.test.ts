import fc from "fast-check";
import { expect, test } from "vitest";
import { Crowd, clientKey } from "./crowd.ts";

test("one client may have half of all, and then no more than its part", () => {
  const crowd = new Crowd(100, 10);
  for (let i = 0; i < 50; i++) {
    expect(crowd.excess("a")).toBeUndefined();
    crowd.add("a");
  }
  expect(crowd.excess("a")).toBe("client");
  for (let i = 0; i < 10; i++) {
    expect(crowd.excess("b")).toBeUndefined();
    crowd.add("b");
  }
  expect(crowd.excess("b")).toBe("client");
  expect(crowd.excess("c")).toBeUndefined();
});

test("nobody has more than there may be in all", () => {
  const crowd = new Crowd(4, 10);
  for (const client of ["a", "b", "c", "d"]) crowd.add(client);
  expect(crowd.excess("e")).toBe("all");
});

test("what is given back is free again, and forgotten", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "::1", "2001:db8::1"), { maxLength: 40 }), (clients) => {
      const crowd = new Crowd(10, 2);
      const leave = clients.map((client) => crowd.add(client));
      expect(crowd.size).toBe(clients.length);
      for (const each of leave) each();
      expect(crowd.size).toBe(0);
      for (const client of clients) expect(crowd.excess(client)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["", ""],
  ["::1", "0:0:0:0"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::7", "2001:db8:0:0"],
  ["2001:0db8:0001::", "2001:db8:1:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
])("the client %j is counted as %j", (address, key) => {
  expect(clientKey(address)).toBe(key);
});
