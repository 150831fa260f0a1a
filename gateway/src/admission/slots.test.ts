import fc from "fast-check";
import { expect, test } from "vitest";
import { type Holder, Slots } from "./slots.ts";

test("property: streams always leave a slot to unary calls, and the streams of one client leave slots to other clients' streams", () => {
  const step = fc.record({ client: fc.nat(20).map(String), isUnary: fc.constant(false), ends: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 64 }), fc.array(step, { maxLength: 200 }), (capacity, steps) => {
      const slots = new Slots(() => capacity);
      const held: Holder[] = [];
      for (const { ends, ...holder } of steps) {
        if (slots.hasRoom(holder)) {
          slots.take(holder);
          held.push(holder);
        }
        expect(slots.hasRoom({ client: "unary", isUnary: true })).toBe(true);
        expect(slots.running).toBe(held.length);
        const first = ends ? held.shift() : undefined;
        if (first !== undefined) slots.giveBack(first, 1);
      }
      for (const holder of held) slots.giveBack(holder, 1);
      const stream = (client: string) => ({ client, isUnary: false });
      while (slots.hasRoom(stream("a"))) slots.take(stream("a"));
      expect(slots.hasRoom(stream("b"))).toBe(true);
    }),
  );
});

test("property: even with few slots, one client's streams leave a slot for other clients", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 16 }), (capacity) => {
      const slots = new Slots(() => capacity);
      const stream = (client: string) => ({ client, isUnary: false });
      while (slots.hasRoom(stream("a"))) slots.take(stream("a"));
      expect(slots.running).toBeGreaterThan(0);
      expect(slots.hasRoom(stream("b"))).toBe(true);
    }),
  );
});

test("a client's unary calls leave a quarter of the slots to other clients, and a limit of one slot still admits calls", () => {
  const slots = new Slots(() => 16);
  while (slots.hasRoom({ client: "a", isUnary: true })) slots.take({ client: "a", isUnary: true });
  expect(slots.running).toBe(12);
  expect(slots.hasRoom({ client: "b", isUnary: true })).toBe(true);
  expect(new Slots(() => 1).hasRoom({ client: "a", isUnary: false })).toBe(true);
});
