import fc from "fast-check";
import { expect, test } from "vitest";
import { type Kind, table } from "../../codec/src/table/message-table.ts";
import { atLeast } from "../draws.ts";
import { decoded, methodReadBy, scanned } from "./both.ts";

const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
const year = fc.constantFrom("2025", "2024", "1970", "1969", "0001", "0000", "9999", "1600", "2100", "25");
const month = fc.constantFrom("Jan", "Feb", "Mar", "Apr", "Jun", "Aug", "Sep", "Dec", "dec", "Okt");
const weekday = fc.constantFrom("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "sun", "Xyz");
const clock = fc.tuple(two(25), two(60), two(61)).map((parts) => parts.join(":"));
const instant = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
const count = fc.oneof(
  fc.nat(99),
  fc.constantFrom("0", "007", "999999999", "1000000000", "315576000000", ""),
);
const fraction = fc.constantFrom("", "", "", ".5", ".000000001", ".0", ".1234567891", ",5", ".");

/** Strings in each notation, many of them valid. */
const NOTATIONS: ReadonlyArray<readonly [kind: Kind, text: fc.Arbitrary<string>]> = [
  ...(["http_date", "rfc2822"] as const).map(
    (time) =>
      [
        { time },
        fc.oneof(
          instant.map((date) => date.toUTCString()),
          fc
            .tuple(weekday, two(32), month, year, clock, fc.constantFrom("GMT", "gmt", "UTC", "+0000", ""))
            .map(([day, ...parts]) => `${day}, ${parts.join(" ")}`),
        ),
      ] as const,
  ),
  ...["YYYY-MM-DD HH:mm:ss", "DD/MM/YYYY", "YYYYMMDDTHHmmss", "HH:mm", "MM-DD-YYYY at HH", "YYYY-YYYY", "é YYYY"].map(
    (pattern) =>
      [
        { time: { pattern } },
        fc.tuple(year, two(13), two(32), two(25), two(60), two(61)).map((parts) =>
          ["YYYY", "MM", "DD", "HH", "mm", "ss"].reduce(
            (text, part, index) => text.replace(part, parts[index] ?? ""),
            pattern,
          ),
        ),
      ] as const,
  ),
  ["duration", fc.tuple(fc.constantFrom("", "", "-", "+"), count, fraction, fc.constantFrom("s", "s", "s", "", "m")).map((parts) => parts.join(""))],
  [
    { duration: "iso8601" },
    fc
      .tuple(
        fc.constantFrom("P", "P", "P", "-P", "p"),
        fc.subarray(["W", "D", "TH", "TM", "TS"]).chain((units) =>
          fc.tuple(...units.map((unit) => fc.tuple(count, fraction, fc.constant(unit)))),
        ),
        fc.boolean(),
      )
      .map(([sign, parts, isDotted]) => {
        let rest = "";
        for (const [whole, part, unit] of parts) {
          if (unit.startsWith("T") && !rest.includes("T")) rest += "T";
          rest += `${whole}${unit === "TS" || isDotted ? part : ""}${unit.at(-1)}`;
        }
        return sign + rest;
      }),
  ],
]; // biome-ignore format: a table

test.each(NOTATIONS)(
  "property: the scanner reads times and durations as %j like the decoder",
  (kind, texts) => {
    const adapter = methodReadBy(
      table("test.Notation", () => [
        [1, kind, "key"],
        [2, { list: kind }, "list"],
      ]),
    );
    let read = 0;
    fc.assert(
      fc.property(
        texts,
        fc.nat(30),
        fc.constantFrom("", "", "", "", " ", "0", "\\/", "\u0000", "\\u0041"),
        (text, at, more) => {
          const changed = more === "" ? text : `${text.slice(0, at)}${more}${text.slice(at + 1)}`;
          const body = Buffer.from(`{"key":"${changed}","list":["${text}"]}`);
          const found = scanned(adapter, body);
          if (found === undefined) return;
          if (found.differences.list.length === 0) read++;
          expect(found, body.toString()).toEqual(decoded(adapter, body));
        },
      ),
      { numRuns: 1000 },
    );
    // a time of day without a date is lost
    if (!isEverLost(kind)) expect(read).toBeGreaterThanOrEqual(atLeast(20));
  },
);

function isEverLost(kind: Kind): boolean {
  return JSON.stringify(kind).includes('HH:mm"');
}
