import fc from "fast-check";
import { expect, test } from "vitest";
import { type Holder, Slots } from "./slots.ts";

test("property: however many clients hold streams, a unary call has room, and one client leaves some to streams of others", () => {
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

test("property: of a few slots too, streams of one client leave one to others", () => {
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

test("unary calls of a client leave a quarter of the slots to others, and a single slot is anybody's", () => {
  const slots = new Slots(() => 16);
  while (slots.hasRoom({ client: "a", isUnary: true })) slots.take({ client: "a", isUnary: true });
  expect(slots.running).toBe(12);
  expect(slots.hasRoom({ client: "b", isUnary: true })).toBe(true);
  expect(new Slots(() => 1).hasRoom({ client: "a", isUnary: false })).toBe(true);
});
