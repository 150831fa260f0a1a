import fc from "fast-check";
import { expect, test } from "vitest";
import { timeFormatFault } from "./time-format.ts";

const PARTS = ["YYYY", "MM", "DD", "HH", "mm", "ss"];
/** Parts of Java, C#, moment.js and Unicode formats that have a different meaning here, or no meaning. */
const OTHERS =
  "Y YY YYY YYYYY y yy yyyy uuuu M Mo MMM MMMM D Do DDD DDDo DDDD d dd ddd H h hh k kk m s sss S SS SSS SSSSSS f fff".split(
    " ",
  );
const BETWEEN = ["-", "/", ".", " ", ":", ", "];
/** Literal text between or after the parts. */
const LITERAL = ["T", "Z", " GMT", " UTC", " Uhr", " o'clock", " um "];

test("property: a format is valid if it has the year and the next smaller parts, each once and without a gap", () => {
  const parts = fc.array(fc.constantFrom(...PARTS, ...PARTS, ...PARTS, ...OTHERS), { maxLength: 7 });
  fc.assert(
    fc.property(
      parts,
      fc.constantFrom(...BETWEEN),
      fc.constantFrom("", ...LITERAL),
      (chosen, between, end) => {
        const isWhole = PARTS.slice(0, chosen.length).every((part) => chosen.includes(part));
        const isRight = chosen.length > 0 && chosen.length <= PARTS.length && isWhole;
        expect(timeFormatFault(chosen.join(between) + end) === undefined).toBe(isRight);
      },
    ),
  );
});

test("property: the parts may be in any order, with or without separators", () => {
  const orders = fc.integer({ min: 1, max: PARTS.length }).chain((count) => {
    const parts = PARTS.slice(0, count);
    return fc.shuffledSubarray(parts, { minLength: count });
  });
  fc.assert(
    fc.property(orders, fc.constantFrom("", "T", ...BETWEEN), (parts, between) => {
      expect(timeFormatFault(parts.join(between))).toBeUndefined();
    }),
  );
});

const EXAMPLE = 'write e.g. "YYYY-MM-DD HH:mm:ss"';

test.each([
  ["YYYY-mm-DD", "has `mm` without `MM`, which is the minute; did you mean `MM`?"],
  ["YYYY-MM-DD HH:MM:ss", "has `MM` twice; did you mean `mm` in one place?"],
  ["YYYY-MM-DD hh:mm:ss", "has `hh`, which is no part; did you mean `HH`?"],
  ["yyyy-MM-dd", "has `yyyy`, which is no part; did you mean `YYYY`?"],
  ["YYYY-MM-DD HH:mm:SS", "has `SS`, a fraction of a second, which no part stands for; did you mean `ss`?"],
  [
    "YYYY-MM-DDTHH:mm:ss.SSSZ",
    "has `SSS`, a fraction of a second, which no part stands for; use unit: ISO_8601 or declare a string field;",
  ],
  [
    "DD MMM YYYY",
    "has `MMM`, the name of a month or a day, or the day of a year, which no part stands for; use unit: ISO_8601 or declare a string field;",
  ],
  ["Do.MM.YYYY", "has `D`, which is no part; did you mean `DD`?"],
  ["YYYY-DD", "has `DD` without `MM`, so that it names no point in time;"],
  ["YYYY YYYY", "has `YYYY` twice; the second one would be literal text;"],
  ["HH:mm", "has no year;"],
])("the format %s is rejected, and the error suggests the intended part", (format, fault) => {
  expect(timeFormatFault(format)).toBe(`${fault} ${EXAMPLE}`);
});
