import fc from "fast-check";
import { expect, test } from "vitest";
import { type Placed, UnorderedSet } from "./unordered-set.ts";

class Thing implements Placed {
  place = -1;
}

test("after any sequence of additions and removals, a set contains exactly the members that were added and not removed afterwards", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(7)), { maxLength: 60 }), (steps) => {
      const things = Array.from({ length: 8 }, () => new Thing());
      const set = new UnorderedSet<Thing>();
      const known = new Set<Thing>();
      for (const [isAdded, index] of steps) {
        const thing = things[index] as Thing;
        if (!isAdded) {
          set.remove(thing);
          known.delete(thing);
        } else if (!known.has(thing)) {
          set.add(thing);
          known.add(thing);
        }
        expect(new Set(set)).toEqual(known);
        expect([...set]).toHaveLength(known.size);
      }
    }),
    { numRuns: 100 },
  );
});
