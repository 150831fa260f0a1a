import fc from "fast-check";
import { expect, test } from "vitest";
import { table } from "../../codec/src/table/message-table.ts";
import { decoded, methodReadBy, scanned } from "./both.ts";

const strict = methodReadBy(table("test.Strict", () => [[1, { time: "iso8601" }, "at"]]));
const loose = methodReadBy(table("test.Loose", () => [[1, { loose: { time: "iso8601" } }, "at"]]));

test("property: a time without a zone is read as UTC, and reported as converted unless the rule allows it", () => {
  const zones = ["Z", "z", " UTC", " GMT", "+00:00", "-0000", "+05:30", "", " "];
  let read = 0;
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }),
      fc.constantFrom("T", "t", " "),
      fc.constantFrom("", ".5", ".123456789"),
      fc.constantFrom(...zones),
      (date, separator, fraction, zone) => {
        const text = date.toISOString().slice(0, 19).replace("T", separator) + fraction;
        const body = Buffer.from(JSON.stringify({ at: text + zone }));
        const found = decoded(strict, body);
        const allowed = decoded(loose, body);
        for (const [adapter, outcome] of [
          [strict, found],
          [loose, allowed],
        ] as const) {
          const fast = scanned(adapter, body);
          if (fast !== undefined) expect(fast, String(body)).toEqual(outcome);
          if (fast !== undefined && zone.trim() === "") read++;
        }
        const differences = found.differences.list.map((each) => [each.class, each.path, each.expected]);
        expect([text, zone, differences]).toEqual([
          text,
          zone,
          zone.trim() === "" ? [["converted", "at", "a time with a zone"]] : [],
        ]);
        expect(allowed.differences.list).toEqual([]);
        const utc = decoded(strict, Buffer.from(JSON.stringify({ at: `${text}Z` })));
        if (zone !== "+05:30") expect(found.message).toBe(utc.message);
      },
    ),
    { numRuns: 300 },
  );
  expect(read).toBeGreaterThan(0);
});
