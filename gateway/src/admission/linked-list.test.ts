import fc from "fast-check";
import { expect, test } from "vitest";
import { type Linked, LinkedList } from "./linked-list.ts";

class Member implements Linked<Member> {
  before: Member | undefined;
  behind: Member | undefined;
}

function membersOf(list: LinkedList<Member>): Member[] {
  const members: Member[] = [];
  for (let member = list.first; member !== undefined; member = member.behind) members.push(member);
  return members;
}

test("a list keeps its members in insertion order, and removed members keep no references to their neighbours", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(7)), { maxLength: 60 }), (steps) => {
      const members = Array.from({ length: 8 }, () => new Member());
      const list = new LinkedList<Member>();
      let known: Member[] = [];
      for (const [stays, index] of steps) {
        const member = members[index] as Member;
        if (known.includes(member)) list.remove(member);
        known = known.filter((each) => each !== member);
        expect([member.before, member.behind]).toEqual([undefined, undefined]);
        if (stays) {
          list.push(member);
          known.push(member);
        }
        const found = membersOf(list);
        expect(found.length).toBe(known.length);
        expect(found.every((each, at) => each === known[at])).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});
