import fc from "fast-check";
import { expect, test } from "vitest";
import { DeclaredService } from "../gen/rules/v1/declared_pb.ts";
import { DeclaredServiceRest } from "../gen/rules/v1/declared_rest.ts";
import { start } from "./world.ts";

const METHODS = [
  "listByNumber",
  "listByPresentNumber",
  "listByLastNumber",
  "listByPresentLastNumber",
] as const;

test("property: the cursor 0 continues a list if the field can hold it, and ends the list otherwise", async () => {
  const first = fc.constantFrom({}, { number: 5n, present: 5n });
  const cursor = fc.constantFrom<unknown>(0, "0", "0.0", 1, "7", 2 ** 53, null);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...METHODS), first, cursor, async (name, request, value) => {
      const isLast = name.includes("Last");
      const page = isLast ? { items: [{ id: "1", next: value }] } : { items: [{ id: "1" }], next: value };
      const { client, seen, differences } = await start(
        DeclaredService,
        DeclaredServiceRest,
        (_, index) => ({ json: index === 0 ? page : { items: [] } }),
        { strict: false },
      );
      const ids: string[] = [];
      for await (const { id } of client[name](request)) ids.push(id);
      const leads = value !== null && (name.includes("Present") || Number(value) !== 0);
      expect([name, value, ids, seen.length]).toEqual([name, value, ["1"], leads ? 2 : 1]);
      if (leads) expect(seen[1]?.line).toContain(`=${Number(value)}`);
      const lost = differences.filter((each) => each.class === "lost").map(({ path }) => path);
      expect(lost).toEqual(isLast && !leads ? ["items[0].next"] : []);
    }),
    { numRuns: 60 },
  );
});
