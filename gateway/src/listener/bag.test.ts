import fc from "fast-check";
import { expect, test } from "vitest";
import { Bag, type Bagged } from "./bag.ts";

class Thing implements Bagged {
  place = -1;
}

test("a bag has what was added and not removed, in whatever order that happens", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(7)), { maxLength: 60 }), (steps) => {
      const things = Array.from({ length: 8 }, () => new Thing());
      const bag = new Bag<Thing>();
      const known = new Set<Thing>();
      for (const [isAdded, index] of steps) {
        const thing = things[index] as Thing;
        if (!isAdded) {
          bag.remove(thing);
          known.delete(thing);
        } else if (!known.has(thing)) {
          bag.add(thing);
          known.add(thing);
        }
        expect(new Set(bag)).toEqual(known);
        expect([...bag]).toHaveLength(known.size);
      }
    }),
    { numRuns: 100 },
  );
});
